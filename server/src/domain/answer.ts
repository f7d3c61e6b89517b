/**
 * A piece of an answer. Every answer is a stream of these; a whole answer is that stream collected.
 * Providers yield all but the receipt, which the line adds once the money is settled.
 */
export type Part = TextPart | MediaPart | ToolCallPart | UsagePart | FinishPart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface MediaPart {
  readonly type: "media";
  readonly kind: "image" | "audio";
  /** An https or data URL. */
  readonly url: string;
  /** The provider's own object, for the operations that pass it on as it is. */
  readonly source: Readonly<Record<string, unknown>>;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What the provider says it used, unchecked: billing decides whether to believe it. */
export interface UsagePart {
  readonly type: "usage";
  readonly inputTokens: unknown;
  readonly outputTokens: unknown;
  /** How many of the input tokens came out of the provider's cache. */
  readonly cachedInputTokens?: unknown;
  /** Of audio, made or heard. */
  readonly seconds?: unknown;
}

export interface FinishPart {
  readonly type: "finish";
  readonly reason: "stop" | "length" | "tool-calls" | "refused" | "unknown";
}
