import { wavDurationMs } from "@trunkline/core/audio-length.ts";
import type { UsagePart } from "@trunkline/core/parts.ts";
import type { AudioLength } from "@trunkline/core/route.ts";

/** How far a provider's count may be from ours: templates and other tokenizers differ, but not by this much. */
const PLAUSIBLE_FACTOR = 5;
const SLACK_TOKENS = 256;

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface AcceptedUsage extends Tokens {
  /** How many of the input tokens came out of the provider's cache: only it can know. */
  readonly cachedInputTokens: number;
  /** How many were put into it. */
  readonly cacheWriteTokens: number;
  readonly source: "provider" | "own";
}

/** What is known of a request that makes a count believable which ours alone would not. */
interface UsageAllowance {
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
    isCount(value) && value <= own * PLAUSIBLE_FACTOR + SLACK_TOKENS && own <= value * PLAUSIBLE_FACTOR + SLACK_TOKENS
  );
}

/** How far a provider's seconds may be from a length that was measured: it may round, and count its pauses. */
const AUDIO_TOLERANCE = 0.1;
const AUDIO_TOLERANCE_MS = 1_000;

/** Whose count of audio is charged: the provider's, the length that a file's own header says, or an estimate. */
export type AudioSource = "provider" | "measured" | "estimated";

interface AcceptedAudio {
  readonly audioMs: number;
  /** undefined: there was none. */
  readonly audioSource: AudioSource | undefined;
}

/** The audio that an answer was made of. */
export interface GeneratedAudio {
  readonly pieces: number;
  readonly measuredMs: number;
  /** How many of the pieces could not be measured. */
  readonly unmeasured: number;
}

export const NO_GENERATED_AUDIO: GeneratedAudio = { pieces: 0, measuredMs: 0, unmeasured: 0 };

/** What was made so far, and this piece. */
export function addAudio(made: GeneratedAudio, url: string): GeneratedAudio {
  const ms = wavDurationMs(url);
  return {
    pieces: made.pieces + 1,
    measuredMs: made.measuredMs + (ms ?? 0),
    unmeasured: made.unmeasured + (ms === undefined ? 1 : 0),
  };
}

/**
 * The provider's seconds when they are believable, otherwise our own count. Never more than the request was quoted for:
 * whoever makes an hour of silence out of a sentence is not paid for it.
 */
export function acceptAudio(
  reported: UsagePart | undefined,
  tokens: AcceptedUsage,
  made: GeneratedAudio,
  length: AudioLength,
): AcceptedAudio {
  const mostMs = length.maxHeardMs + (made.pieces > 0 ? length.maxSpokenMs : 0);
  if (mostMs === 0) return { audioMs: 0, audioSource: undefined };
  const own = estimateAudio(made, length, mostMs);
  const saidMs = millisecondsOf(reported?.seconds);
  if (reported === undefined || saidMs === undefined || saidMs > mostMs) return own;
  // Models of audio count no tokens. Who counts them wrong is not believed about the seconds either.
  const isTrusted = tokens.source === "provider" || reportsNoTokens(reported);
  const isNear =
    own.audioSource !== "measured" ||
    Math.abs(saidMs - own.audioMs) <= own.audioMs * AUDIO_TOLERANCE + AUDIO_TOLERANCE_MS;
  return isTrusted && isNear ? { audioMs: saidMs, audioSource: "provider" } : own;
}

function estimateAudio(made: GeneratedAudio, length: AudioLength, mostMs: number): AcceptedAudio {
  const isMeasured = made.unmeasured === 0 && length.heardIsExact;
  const madeMs = made.unmeasured === 0 ? made.measuredMs : Math.max(made.measuredMs, length.spokenMs);
  return {
    audioMs: Math.min(length.heardMs + madeMs, mostMs),
    audioSource: isMeasured ? "measured" : "estimated",
  };
}

/** Whole milliseconds of a number of seconds; a started one counts. Rounded before, as 16.1 s are no 16,101 ms. */
function millisecondsOf(seconds: unknown): number | undefined {
  if (typeof seconds !== "number" || !(seconds >= 0)) return undefined;
  const ms = Math.ceil(Math.round(seconds * 1_000_000) / 1_000);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

function reportsNoTokens({ inputTokens, outputTokens }: UsagePart): boolean {
  return (inputTokens ?? undefined) === undefined && (outputTokens ?? undefined) === undefined;
}
