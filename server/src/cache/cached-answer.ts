import type { Part, Receipt } from "@trunkline/core/parts.ts";

/** What of a receipt is told again with a kept answer: all but the cost and the time, which are another's. */
export type CachedUsage = Pick<
  Receipt,
  "inputTokens" | "outputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "reasoningTokens" | "audioMs"
>;

/** An answer that may be given again: what the client was given, after moderation. */
export interface CachedAnswer {
  /** The request that it was made for. */
  readonly requestId: string;
  /** `provider/name` of the model that gave it. */
  readonly model: string;
  readonly parts: readonly Part[];
  readonly usage: CachedUsage;
  readonly madeAt: Date;
  readonly expiresAt: Date;
}

/** By what a request is found again. */
export interface Fingerprint {
  /** Of everything that shapes the answer. */
  readonly exact: Buffer;
  /** Of the last words alone; undefined where nobody asked for likeness, or there are no last words. */
  readonly words: TextFingerprint | undefined;
}

/** The last words of a request, and what stands around them. */
export interface TextFingerprint {
  /** Of everything but these words, and of what in them must be the same whatever the likeness. */
  readonly contextDigest: Buffer;
  readonly vector: Float32Array;
}

/** A kept answer whose question may be much alike. */
export interface SimilarCandidate {
  readonly requestId: string;
  readonly vector: Float32Array;
}

export interface CachedAnswerStore {
  /** What was kept under exactly this, and has not expired. */
  find(accountId: string, exact: Buffer, now: Date): Promise<CachedAnswer | undefined>;
  /** The newest ones with these surroundings, at most `limit`. */
  findSimilar(accountId: string, surroundings: Buffer, now: Date, limit: number): Promise<SimilarCandidate[]>;
  findByRequest(accountId: string, requestId: string, now: Date): Promise<CachedAnswer | undefined>;
  /** Takes the place of what was kept under the same fingerprint. */
  save(accountId: string, fingerprint: Fingerprint, answer: CachedAnswer): Promise<void>;
  /** How many there were. */
  deleteAll(accountId: string): Promise<number>;
  /** Forgets what has expired, and the oldest of accounts that keep too much. */
  sweep(now: Date): Promise<void>;
}

interface Item {
  readonly answer: CachedAnswer;
  readonly bytes: number;
}

/** The answers that this instance gave or kept last, within a bound: what was asked longest ago goes first. */
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

  /** Everything of an account; of all where none is named. */
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
