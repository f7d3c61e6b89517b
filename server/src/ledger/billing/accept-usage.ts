import type { UsagePart } from "@trunkline/core/answer.ts";

/** How far a provider's count may be from ours: templates and other tokenizers differ, but not by this much. */
const PLAUSIBLE_FACTOR = 5;
const SLACK_TOKENS = 256;

export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface AcceptedUsage extends Tokens {
  /** How many of the input tokens came out of the provider's cache: only it can know. */
  readonly cachedInputTokens: number;
  /** How many were put into it. */
  readonly cacheWriteTokens: number;
  readonly source: "provider" | "own";
}

/** What is known of a request that makes a count believable which ours alone would not. */
export interface UsageAllowance {
  /** The most output that the provider was asked for. */
  readonly maxOutputTokens: number | undefined;
  /** What may have been counted for what was attached. */
  readonly attachedTokens: number;
  /** The model thinks before it answers, and most thoughts are never shown: only their number is told. */
  readonly thinks: boolean;
  /**
   * The provider is one that everybody knows, and the count is what it takes its money by: whatever it counts beyond
   * ours, such as an hour of video behind an address, is what the request has cost.
   */
  readonly believed?: boolean;
}

/** The provider's count when it is believable, otherwise our own. Both numbers or neither: half a report is no report. */
export function acceptUsage(
  reported: UsagePart | undefined,
  own: Tokens,
  { maxOutputTokens, attachedTokens, thinks, believed = false }: UsageAllowance,
): AcceptedUsage {
  if (reported !== undefined) {
    const { inputTokens, outputTokens } = reported;
    const withinRequest =
      believed || maxOutputTokens === undefined || (isCount(outputTokens) && outputTokens <= maxOutputTokens);
    const isInput =
      isPlausible(inputTokens, own.inputTokens) ||
      (isCount(inputTokens) &&
        inputTokens > own.inputTokens &&
        (believed || inputTokens - own.inputTokens <= attachedTokens * PLAUSIBLE_FACTOR));
    const isOutput =
      isPlausible(outputTokens, own.outputTokens) ||
      ((believed || (thinks && maxOutputTokens !== undefined)) &&
        isCount(outputTokens) &&
        outputTokens >= own.outputTokens);
    if (isCount(inputTokens) && isInput && isCount(outputTokens) && isOutput && withinRequest) {
      return { inputTokens, ...acceptCacheTokens(reported, inputTokens), outputTokens, source: "provider" };
    }
  }
  // What the provider was told not to exceed is not paid for, even if it sent more.
  const outputTokens = Math.min(own.outputTokens, maxOutputTokens ?? own.outputTokens);
  return { inputTokens: own.inputTokens, ...NO_CACHE, outputTokens, source: "own" };
}

const NO_CACHE = { cachedInputTokens: 0, cacheWriteTokens: 0 } as const;

/** What came out of the cache and what was put into it, each believed when it is a part of the input that the other leaves. */
function acceptCacheTokens(
  { cachedInputTokens: read, cacheWriteTokens: written }: UsagePart,
  inputTokens: number,
): Pick<AcceptedUsage, "cachedInputTokens" | "cacheWriteTokens"> {
  const cachedInputTokens = isCount(read) && read <= inputTokens ? read : 0;
  const cacheWriteTokens = isCount(written) && written <= inputTokens - cachedInputTokens ? written : 0;
  return { cachedInputTokens, cacheWriteTokens };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPlausible(value: unknown, own: number): value is number {
  return (
    isCount(value) &&
    value <= own * PLAUSIBLE_FACTOR + SLACK_TOKENS &&
    own <= value * PLAUSIBLE_FACTOR + SLACK_TOKENS
  );
}
