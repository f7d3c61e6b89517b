import type { Model } from "./model.ts";
import type { NanoCredits } from "./money.ts";
import type { ReportedUsage, Usage } from "./usage.ts";

/**
 * A piece of an answer. Every answer is a stream of parts; a whole answer is that stream collected. Providers yield all
 * of these; the pipeline adds the receipt once the charge is settled.
 */
export type Part =
  | TextPart
  | ThinkingPart
  | MediaPart
  | ToolCallPart
  | EmbeddingPart
  | LogprobsPart
  | TimingsPart
  | UsagePart
  | FinishPart;

/** Which of several answers to one request a part belongs to; undefined: the first. */
interface ChoiceIndexed {
  readonly choice?: number | undefined;
}

export interface TextPart extends ChoiceIndexed {
  readonly type: "text";
  readonly text: string;
}

/** Reasoning before the answer. */
export interface ThinkingPart extends ChoiceIndexed {
  readonly type: "thinking";
  readonly text: string;
  /** By which the provider recognises its own reasoning; sent with the last piece of it. */
  readonly signature?: string | undefined;
  /** Encrypted reasoning that only the provider can read; then `text` is empty. */
  readonly sealed?: string | undefined;
}

export interface MediaPart {
  readonly type: "media";
  readonly kind: "image" | "audio";
  /** An https or data URL. */
  readonly url: string;
  /** The provider's own object, for operations that return it unchanged. */
  readonly source: Readonly<Record<string, unknown>>;
}

/** A complete call: it is screened before any of it is sent to the client. */
export interface ToolCallPart extends ChoiceIndexed {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
  /** By which the provider recognises its own call. */
  readonly signature?: string | undefined;
}

export interface EmbeddingPart {
  readonly type: "embedding";
  /** The input that this is the embedding of. */
  readonly index: number;
  readonly vector: readonly number[];
}

/** Log probabilities of an answer's tokens, in OpenAI's format. Sent once, at the end, after the text was screened. */
export interface LogprobsPart extends ChoiceIndexed {
  readonly type: "logprobs";
  readonly content: readonly unknown[];
}

/** When the pieces of a transcript were said, in OpenAI's format. Sent once, after the text. */
export interface TimingsPart {
  readonly type: "timings";
  /** The language that the provider heard. */
  readonly language?: string | undefined;
  readonly segments?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly words?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

export type UsagePart = { readonly type: "usage" } & ReportedUsage;

export interface FinishPart extends ChoiceIndexed {
  readonly type: "finish";
  readonly reason: "stop" | "length" | "tool-calls" | "refused" | "unknown";
  /** The client's stop sequence that ended the answer. */
  readonly stopSequence?: string | undefined;
}

/** The usage that a receipt shows. Receipts are stored, so a quantity that was not always there is optional. */
export interface ReceiptUsage extends Omit<Usage, "images" | "audioMs"> {
  /** Charged audio, input and output; left out where there was none. */
  readonly audioMs?: number | undefined;
}

/** The last part of every answer: its cost and its model. Only created from a charge that is stored. */
export interface Receipt extends ReceiptUsage {
  readonly type: "receipt";
  /** The model that finished the answer. */
  readonly model: Pick<Model, "provider" | "name">;
  readonly cost: NanoCredits;
  /**
   * Where several models produced the answer one after the other: the part of each. They add up to the totals above.
   */
  readonly legs?: readonly ReceiptSegment[] | undefined;
  readonly latencyMs: number;
}

/** What one of several models contributed to an answer. */
export interface ReceiptSegment extends Pick<Usage, "inputTokens" | "outputTokens"> {
  /** A complete answer may still not have been sent to the client. */
  readonly outcome: SegmentOutcome;
  readonly model: Pick<Model, "provider" | "name">;
  readonly cost: NanoCredits;
}

/**
 * How one model's segment of an answer ended. answered: it finished the answer. cut-off: it failed in the middle, and
 * another model may have continued. failed-check: complete, but discarded by a check. refused: withheld by moderation.
 */
export const SEGMENT_OUTCOMES = ["answered", "cut-off", "failed-check", "refused"] as const;
export type SegmentOutcome = (typeof SEGMENT_OUTCOMES)[number];

/** Stored in place of a price version where each segment of a request has its own. */
export const PRICED_BY_SEGMENTS = "legs";
