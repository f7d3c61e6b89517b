import type { UsagePart } from "@trunkline/core/answer.ts";
import { wavDurationMs } from "@trunkline/core/measure-wav.ts";
import type { AudioLength } from "@trunkline/core/route.ts";
import type { AcceptedUsage } from "./accept-usage.ts";

/** How far a provider's seconds may be from a length that was measured: it may round, and count its pauses. */
const AUDIO_TOLERANCE = 0.1;
const AUDIO_TOLERANCE_MS = 1_000;

/** Whose count of audio is charged: the provider's, the length that a file's own header says, or an estimate. */
export type AudioSource = "provider" | "measured" | "estimated";

export interface AcceptedAudio {
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
