import type { Part, ReceiptUsage } from "@trunkline/core/parts.ts";

/** A cached answer, as delivered to the first client after moderation. */
export interface CachedAnswer {
  /** The first request. */
  readonly requestId: string;
  /** `provider/name` of its model. */
  readonly model: string;
  readonly parts: readonly Part[];
  /** The usage of the first answer, which receipts of cached answers show. Cost and latency are the new request's own. */
  readonly usage: ReceiptUsage;
  readonly madeAt: Date;
  readonly expiresAt: Date;
}

/** Identifies equal or similar requests. */
export interface Fingerprint {
  /** A digest of everything that shapes the answer. */
  readonly exact: Buffer;
  /** Of the last user text; undefined where similarity is not requested, or there is no such text. */
  readonly words: TextFingerprint | undefined;
}

/** The last user text of a request, and its context. */
export interface TextFingerprint {
  /** A digest of everything except this text, plus the words of it that must match exactly. */
  readonly contextDigest: Buffer;
  readonly vector: Float32Array;
}

/** A cached answer whose question may be similar. */
export interface SimilarCandidate {
  readonly requestId: string;
  readonly vector: Float32Array;
}

export interface CachedAnswerStore {
  /** The unexpired answer for exactly this fingerprint. */
  find(accountId: string, exact: Buffer, now: Date): Promise<CachedAnswer | undefined>;
  /** The newest answers with this context, at most `limit`. */
  findSimilar(accountId: string, contextDigest: Buffer, now: Date, limit: number): Promise<SimilarCandidate[]>;
  findByRequest(accountId: string, requestId: string, now: Date): Promise<CachedAnswer | undefined>;
  /** Replaces the answer for the same fingerprint. */
  save(accountId: string, fingerprint: Fingerprint, answer: CachedAnswer): Promise<void>;
  /** Returns their number. */
  deleteAll(accountId: string): Promise<number>;
  /** Deletes expired answers, and the oldest of accounts that store too many. */
  sweep(now: Date): Promise<void>;
}

interface Item {
  readonly answer: CachedAnswer;
  readonly bytes: number;
}

/** An LRU of the answers that this instance used last, bounded by bytes. */
export class MemoryCache {
  readonly #maxBytes: number;
  readonly #items = new Map<string, Item>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(accountId: string, exact: Buffer, now: number): CachedAnswer | undefined {
    const key = keyOf(accountId, exact);
    const item = this.#items.get(key);
    if (item === undefined) return undefined;
    this.#remove(key);
    if (item.answer.expiresAt.getTime() <= now) return undefined;
    this.#add(key, item);
    return item.answer;
  }

  put(accountId: string, exact: Buffer, answer: CachedAnswer, bytes: number): void {
    const key = keyOf(accountId, exact);
    this.#remove(key);
    this.#add(key, { answer, bytes });
    for (const oldest of this.#items.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest);
    }
  }

  /** Evicts an account, or all where none is named. */
  evict(accountId = ""): void {
    for (const key of [...this.#items.keys()]) if (key.startsWith(accountId)) this.#remove(key);
  }

  #add(key: string, item: Item): void {
    this.#items.set(key, item);
    this.#bytes += item.bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#items.get(key)?.bytes ?? 0;
    this.#items.delete(key);
  }
}

function keyOf(accountId: string, exact: Buffer): string {
  return `${accountId} ${exact.toString("base64")}`;
}
