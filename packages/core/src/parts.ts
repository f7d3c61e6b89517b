import type { Model } from "./model.ts";
import type { NanoCredits } from "./money.ts";

/**
 * A piece of an answer. Every answer is a stream of these; a whole answer is that stream collected.
 * Providers yield all but the receipt, which the line adds once the money is settled.
 */
export type Part =
  | TextPart
  | ThinkingPart
  | MediaPart
  | ToolCallPart
  | EmbeddingPart
  | LogprobsPart
  | UsagePart
  | FinishPart;

/** Of which of several answers to one request a part is; undefined: of the first. */
interface ChoiceIndexed {
  readonly choice?: number | undefined;
}

export interface TextPart extends ChoiceIndexed {
  readonly type: "text";
  readonly text: string;
}

/** What the model thought on its way. */
export interface ThinkingPart extends ChoiceIndexed {
  readonly type: "thinking";
  readonly text: string;
  /** By which the provider knows its own thoughts again; it comes with the last piece of a thought. */
  readonly signature?: string | undefined;
  /** Thoughts that only the provider can read; then there is no text. */
  readonly sealed?: string | undefined;
}

export interface MediaPart {
  readonly type: "media";
  readonly kind: "image" | "audio";
  /** An https or data URL. */
  readonly url: string;
  /** The provider's own object, for the operations that pass it on as it is. */
  readonly source: Readonly<Record<string, unknown>>;
}

/** A whole call: it is judged before anything of it is given out. */
export interface ToolCallPart extends ChoiceIndexed {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
  /** By which the provider knows its own call again. */
  readonly signature?: string | undefined;
}

export interface EmbeddingPart {
  readonly type: "embedding";
  /** Which of the inputs it is of. */
  readonly index: number;
  readonly vector: readonly number[];
}

/** How likely the words of an answer were, in OpenAI's form. Comes once, at the end, when the words are judged. */
export interface LogprobsPart extends ChoiceIndexed {
  readonly type: "logprobs";
  readonly content: readonly unknown[];
}

/** What the provider says it used, unchecked: billing decides whether to believe it. */
export interface UsagePart {
  readonly type: "usage";
  /** All of the input, whether or not the provider had it in its cache. */
  readonly inputTokens: unknown;
  /** All of the output, thoughts included. */
  readonly outputTokens: unknown;
  /** How many of the input tokens came out of the provider's cache. */
  readonly cachedInputTokens?: unknown;
  /** How many of the input tokens were put into it. */
  readonly cacheWriteTokens?: unknown;
  /** How many of the output tokens were thoughts. */
  readonly reasoningTokens?: unknown;
  /** Of audio, made or heard. */
  readonly seconds?: unknown;
}

export interface FinishPart extends ChoiceIndexed {
  readonly type: "finish";
  readonly reason: "stop" | "length" | "tool-calls" | "refused" | "unknown";
  /** The words of the client's own that ended it. */
  readonly stopSequence?: string | undefined;
}

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

/**
 * How one model's leg of an answer ended. answered: it finished the answer. cut-off: another went on after it, or nobody
 * did. failed-check: its answer was whole and thrown away. refused: moderation took it away.
 */
export const SEGMENT_OUTCOMES = ["answered", "cut-off", "failed-check", "refused"] as const;
export type SegmentOutcome = (typeof SEGMENT_OUTCOMES)[number];

/** What stands in place of a price's version where the legs of a request have one each. */
export const PRICED_BY_SEGMENTS = "legs";
