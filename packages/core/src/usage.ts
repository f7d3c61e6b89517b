/** What an answer used: the one form from the provider's report to the stored row. A new quantity is added here. */
export interface Usage extends ChargedUsage {
  /** How many of the output tokens were reasoning, as the provider reports. It is shown and never charged by. */
  readonly reasoningTokens: number;
}

/** The quantities that have a price and a column. */
export interface ChargedUsage {
  /** All input, cached or not. */
  readonly inputTokens: number;
  /** How many of the input tokens were read from the provider's cache. */
  readonly cachedInputTokens: number;
  /** How many of the other input tokens were written to it. */
  readonly cacheWriteTokens: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  /** Generated images. */
  readonly images: number;
  /** Audio, input and output. */
  readonly audioMs: number;
}

/** A usage as a provider reports it, unchecked: billing decides whether it is plausible. */
export type ReportedUsage = { readonly [Quantity in Exclude<keyof Usage, "images" | "audioMs">]?: unknown } & {
  /** Of audio, input and output. */
  readonly seconds?: unknown;
};

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  images: 0,
  audioMs: 0,
};
