import type { SegmentOutcome } from "./leg.ts";
import type { Model } from "./model.ts";
import type { NanoCredits } from "./money.ts";

/** The last part of every answer: what it cost and who gave it. Only ever made from a charge that is on disk. */
export interface Receipt {
  readonly type: "receipt";
  /** The one that finished the answer. */
  readonly model: Pick<Model, "provider" | "name">;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens came out of the provider's cache. */
  readonly cachedInputTokens: number;
  /** How many of them were put into it. */
  readonly cacheWriteTokens: number;
  /** How many of the output tokens were thoughts, as the provider says. */
  readonly reasoningTokens: number;
  /** Of audio, made or heard, as it was charged; left out where there was none. */
  readonly audioMs?: number | undefined;
  readonly cost: NanoCredits;
  /** Where several models made the answer, one after the other: what each of them did. Together they are the above. */
  readonly legs?: readonly ReceiptSegment[] | undefined;
  readonly latencyMs: number;
}

/** What one of several models did for an answer. */
export interface ReceiptSegment {
  /** What became of it: an answer may be whole and not given out. */
  readonly outcome: SegmentOutcome;
  readonly model: Pick<Model, "provider" | "name">;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: NanoCredits;
}
