import type { Channel } from "../domain/verdict.ts";
import type { SafetyCategory } from "./categories.ts";

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
export interface Sighting {
  readonly scores: Readonly<Record<SafetyCategory, number>>;
  readonly findings: readonly Finding[];
  /** What was undone before judging, for example "zero-width". */
  readonly normalised: readonly string[];
}

/**
 * Reads one text. Whoever implements this owes two things to the stages that use it: the same text and channel give
 * the same sighting, and the work grows linearly with the text.
 */
export interface Detector {
  examine(text: string, channel: Channel): Sighting;
}
