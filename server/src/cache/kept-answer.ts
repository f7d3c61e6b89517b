import type { Part } from "@trunkline/core/answer.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";

/** What of a receipt is told again with a kept answer: all but the cost and the time, which are another's. */
export type KeptUsage = Pick<
  Receipt,
  "inputTokens" | "outputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "reasoningTokens" | "audioMs"
>;

/** An answer that may be given again: what the client was given, after moderation. */
export interface KeptAnswer {
  /** The request that it was made for. */
  readonly requestId: string;
  /** `provider/name` of the model that gave it. */
  readonly model: string;
  readonly parts: readonly Part[];
  readonly usage: KeptUsage;
  readonly madeAt: Date;
  readonly expiresAt: Date;
}

/** By what a request is found again. */
export interface Fingerprint {
  /** Of everything that shapes the answer. */
  readonly exact: Buffer;
  /** Of the last words alone; undefined where nobody asked for likeness, or there are no last words. */
  readonly words: WordsPrint | undefined;
}

/** The last words of a request, and what stands around them. */
export interface WordsPrint {
  /** Of everything but these words, and of what in them must be the same whatever the likeness. */
  readonly surroundings: Buffer;
  readonly point: Float32Array;
}

/** A kept answer whose question may be much alike. */
export interface Neighbour {
  readonly requestId: string;
  readonly point: Float32Array;
}

export interface AnswerStore {
  /** What was kept under exactly this, and has not expired. */
  find(accountId: string, exact: Buffer, now: Date): Promise<KeptAnswer | undefined>;
  /** The newest ones with these surroundings, at most `limit`. */
  neighbours(accountId: string, surroundings: Buffer, now: Date, limit: number): Promise<Neighbour[]>;
  findByRequest(accountId: string, requestId: string, now: Date): Promise<KeptAnswer | undefined>;
  /** Takes the place of what was kept under the same fingerprint. */
  keep(accountId: string, fingerprint: Fingerprint, answer: KeptAnswer): Promise<void>;
  /** How many there were. */
  drop(accountId: string): Promise<number>;
  /** Forgets what has expired, and the oldest of accounts that keep too much. */
  sweep(now: Date): Promise<void>;
}
