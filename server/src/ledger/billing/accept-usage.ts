import { wavDurationMs } from "@trunkline/core/audio-length.ts";
import type { AudioLength } from "@trunkline/core/route.ts";
import type { ReportedUsage, Usage } from "@trunkline/core/usage.ts";

/** How far a provider's count may be from ours. Templates and tokenizers differ, but not by more than this. */
const PLAUSIBLE_FACTOR = 5;
const SLACK_TOKENS = 256;
/** How much more than we counted a model of another account than the operator's may charge for. */
const THIRD_PARTY_FACTOR = 1.5;
const THIRD_PARTY_SLACK_TOKENS = 16;

interface AcceptedTokens extends Omit<Usage, "images" | "audioMs"> {
  readonly source: "provider" | "own";
}

/** Facts about a request that make a larger count plausible than ours alone would. */
interface UsageAllowance {
  /** The most output that the request allowed. */
  readonly maxOutputTokens: number | undefined;
  /** Our estimate for the attachments. */
  readonly attachedTokens: number;
  /** The model reasons before it answers. Most reasoning is never shown, only counted. */
  readonly thinks: boolean;
  /**
   * The provider is well known and bills by this count. Whatever it counts beyond ours, such as an hour of video behind
   * a URL, is what the request costs.
   */
  readonly believed?: boolean;
  /** The model belongs to another account than the operator's: it is paid for what we can count, and a little more. */
  readonly thirdParty?: boolean;
}

/** The provider's count when it is plausible, otherwise our own. Input and output are accepted together or not at all. */
export function acceptUsage(
  reported: ReportedUsage | undefined,
  own: Pick<Usage, "inputTokens" | "outputTokens">,
  { maxOutputTokens, attachedTokens, thinks, believed = false, thirdParty = false }: UsageAllowance,
): AcceptedTokens {
  const isWithinCount =
    !thirdParty ||
    (isAtMost(reported?.inputTokens, own.inputTokens + attachedTokens) &&
      isAtMost(reported?.outputTokens, own.outputTokens));
  if (reported !== undefined && isWithinCount) {
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
      const reasoningTokens = acceptReasoningTokens(reported, outputTokens);
      // The cache's counts, as far as both together fit into the input.
      const { cachedInputTokens: read, cacheWriteTokens: written } = reported;
      const cachedInputTokens = isCount(read) && read <= inputTokens ? read : 0;
      const cacheWriteTokens = isCount(written) && written <= inputTokens - cachedInputTokens ? written : 0;
      return { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens, source: "provider" };
    }
  }
  // Output beyond the requested maximum is not charged, even if the provider sent more.
  const outputTokens = Math.min(own.outputTokens, maxOutputTokens ?? own.outputTokens);
  const reasoningTokens = acceptReasoningTokens(reported, outputTokens);
  const { inputTokens } = own;
  return { inputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens, reasoningTokens, source: "own" };
}

/** The provider's count of reasoning tokens, capped by the output. It is shown but never charged by. */
function acceptReasoningTokens(reported: ReportedUsage | undefined, outputTokens: number): number {
  const tokens = reported?.reasoningTokens;
  return isCount(tokens) ? Math.min(tokens, outputTokens) : 0;
}

/** Whether a count is hardly more than ours. */
function isAtMost(value: unknown, own: number): boolean {
  return isCount(value) && value <= own * THIRD_PARTY_FACTOR + THIRD_PARTY_SLACK_TOKENS;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPlausible(value: unknown, own: number): value is number {
  return (
    isCount(value) && value <= own * PLAUSIBLE_FACTOR + SLACK_TOKENS && own <= value * PLAUSIBLE_FACTOR + SLACK_TOKENS
  );
}

/** How far a provider's seconds may be from a measured length. Providers round, and may count pauses. */
const AUDIO_TOLERANCE = 0.1;
const AUDIO_TOLERANCE_MS = 1_000;

/** The origin of the charged audio length: the provider's count, the file's own header, or an estimate. */
export type AudioSource = "provider" | "measured" | "estimated";

interface AcceptedAudio {
  readonly audioMs: number;
  /** undefined: there was none. */
  readonly audioSource: AudioSource | undefined;
}

const NO_AUDIO: AcceptedAudio = { audioMs: 0, audioSource: undefined };

/** The audio of an answer. */
export interface GeneratedAudio {
  readonly pieces: number;
  readonly measuredMs: number;
  /** The number of pieces whose length could not be measured. */
  readonly unmeasured: number;
}

export const NO_GENERATED_AUDIO: GeneratedAudio = { pieces: 0, measuredMs: 0, unmeasured: 0 };

export function addAudio(audio: GeneratedAudio, url: string): GeneratedAudio {
  const ms = wavDurationMs(url);
  return {
    pieces: audio.pieces + 1,
    measuredMs: audio.measuredMs + (ms ?? 0),
    unmeasured: audio.unmeasured + (ms === undefined ? 1 : 0),
  };
}

/**
 * The provider's seconds when they are plausible, otherwise our own count. Never more than the request was quoted for: a
 * provider that turns a sentence into an hour of silence is not paid for it.
 */
export function acceptAudio(
  reported: ReportedUsage | undefined,
  tokens: AcceptedTokens,
  generated: GeneratedAudio,
  length: AudioLength,
  thirdParty = false,
): AcceptedAudio {
  const maxMs = length.maxHeardMs + (generated.pieces > 0 ? length.maxSpokenMs : 0);
  if (maxMs === 0) return NO_AUDIO;
  const own = estimateAudio(generated, length, maxMs);
  const reportedMs = millisecondsOf(reported?.seconds);
  if (reported === undefined || reportedMs === undefined || reportedMs > maxMs) return own;
  // Audio models report no tokens. A provider with implausible tokens is not trusted about the seconds either.
  const isTrusted = tokens.source === "provider" || reportsNoTokens(reported);
  const isNear =
    own.audioSource === "measured"
      ? Math.abs(reportedMs - own.audioMs) <= own.audioMs * AUDIO_TOLERANCE + AUDIO_TOLERANCE_MS
      : !thirdParty || reportedMs <= own.audioMs * THIRD_PARTY_FACTOR + AUDIO_TOLERANCE_MS;
  return isTrusted && isNear ? { audioMs: reportedMs, audioSource: "provider" } : own;
}

function estimateAudio(generated: GeneratedAudio, length: AudioLength, maxMs: number): AcceptedAudio {
  const isMeasured = generated.unmeasured === 0 && length.heardIsExact;
  const generatedMs =
    generated.unmeasured === 0 ? generated.measuredMs : Math.max(generated.measuredMs, length.spokenMs);
  return {
    audioMs: Math.min(length.heardMs + generatedMs, maxMs),
    audioSource: isMeasured ? "measured" : "estimated",
  };
}

/** Seconds as whole milliseconds, rounded up. Rounds to a microsecond first: 16.1 s must not become 16,101 ms. */
function millisecondsOf(seconds: unknown): number | undefined {
  if (typeof seconds !== "number" || !(seconds >= 0)) return undefined;
  const ms = Math.ceil(Math.round(seconds * 1_000_000) / 1_000);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

function reportsNoTokens({ inputTokens, outputTokens }: ReportedUsage): boolean {
  return (inputTokens ?? undefined) === undefined && (outputTokens ?? undefined) === undefined;
}
