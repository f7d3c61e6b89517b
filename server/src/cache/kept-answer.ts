import type { Part } from "@trunkline/core/answer.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";

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
