import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Channel } from "@trunkline/core/verdict.ts";
import type { StreamBuffer } from "./stream-buffer.ts";

/** A place in a text, the category it is evidence of, and the confidence, from 0 to 1. */
export interface Finding {
  readonly category: SafetyCategory;
  /** The type of the value found there, for example "email". Set for private data only. */
  readonly kind?: string | undefined;
  readonly score: number;
  /** Offsets into the original text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The result of examining a text, before a policy decides what to do about it. */
export interface Detection {
  readonly scores: Readonly<Record<SafetyCategory, number>>;
  readonly findings: readonly Finding[];
  /** The names of the disguises that were undone before scoring, for example "zero-width". */
  readonly normalised: readonly string[];
}

/**
 * The findings in the newest stride of a growing text, with offsets into the whole text. A finding that grew is
 * reported again.
 */
export type StreamDetection = Pick<Detection, "findings" | "normalised">;

/**
 * Examines an answer while it grows, stride by stride. Where strides end depends on the text alone, and so must the
 * findings, so that the chunks of the stream do not change the verdict. The work per character must be constant.
 */
export interface StreamDetector {
  /** Reads up to `to`, the end of a stride. `isLast`: the text may end here. */
  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined;
  /** The offset up to which the detector has decided. */
  readonly decidedTo: number;
  /**
   * The offset up to which nothing hints at something unsafe, whatever may follow: up to there the text need not be held
   * back. undefined: the detector can't tell.
   */
  readonly clearTo?: number | undefined;
  /**
   * The start of a value that only later text can confirm, however much is held back for it; undefined: there is none.
   */
  readonly undecidedFrom?: number | undefined;
}

/**
 * Examines one text. Implementations must be deterministic (the same text and channel give the same Detection) and
 * linear in the length of the text.
 */
export interface Detector {
  detect(text: string, channel: Channel): Detection;
  /** The detectors that together examine one answer while it grows. */
  createStreamDetectors(): readonly StreamDetector[];
  /**
   * The scores of a complete answer in which its stream detectors would find no more than that; undefined: only they can
   * tell.
   */
  scorePlainAnswer?(text: string): Detection["scores"] | undefined;
}
