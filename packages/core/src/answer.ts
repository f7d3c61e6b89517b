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
