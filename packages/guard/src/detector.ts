import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import type { Resumable } from "./resumable.ts";
import type { StreamBuffer } from "./stream-buffer.ts";

/** A place in a text, what it is a sign of, and how sure that makes us, 0 to 1. */
export interface Finding {
  readonly category: SafetyCategory;
  /** What the value there is, for example "email", where it is one. */
  readonly kind?: string | undefined;
  readonly score: number;
  /** Offsets into the text as it was given, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** What is seen in a text, before any policy says what to do about it. */
export interface Detection {
  readonly scores: Readonly<Record<SafetyCategory, number>>;
  readonly findings: readonly Finding[];
  /** What was undone before judging, for example "zero-width". */
  readonly normalised: readonly string[];
}

/** What the newest words of a growing text show, with places in all of it. Something that grew is told again. */
export type StreamDetection = Pick<Detection, "findings" | "normalised">;

/**
 * Reads an answer while it grows, stride by stride. Where strides end depends on the words alone, and what it tells
 * must depend on nothing else. Each character is paid for about once.
 */
export interface StreamDetector {
  /** Reads on to the end of a stride. `isLast`: for all that is known nothing comes after it. */
  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined;
  /** Up to where it has made up its mind. */
  readonly decidedTo: number;
  /** Where a value begins that may only later prove to be one, however much is held back for it; undefined: nothing is in doubt. */
  readonly undecidedFrom?: number | undefined;
}

/**
 * Reads one text. Whoever implements this owes two things to the stages that use it: the same text and channel give
 * the same sighting, and the work grows linearly with the text.
 */
export interface Detector {
  detect(text: string, channel: Channel): Detection;
  /** The same, step by step; undefined: there is never much to do. */
  readonly detectResumable?: ((text: string, channel: Channel) => Resumable<Detection>) | undefined;
  /** Those who together read an answer while it grows. */
  createStreamDetectors(): readonly StreamDetector[];
}

/** What a detector sees, step by step where it can. */
export function* detectResumably(detector: Detector, text: string, channel: Channel): Resumable<Detection> {
  return detector.detectResumable === undefined
    ? detector.detect(text, channel)
    : yield* detector.detectResumable(text, channel);
}
