import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import type { Sighting } from "../detector.ts";
import type { SafetyPolicy } from "./policy.ts";

/** A text that is judged by itself. */
export interface JudgedPassage {
  readonly text: string;
  readonly channel: Channel;
}

/** What is made of whatever was seen in a text. */
export interface Weigher {
  readonly policy: SafetyPolicy;
  weigh(sighting: Sighting): Verdict;
}

/** The verdicts on these texts, with the doubts settled where there were any. Never throws. */
export type DoubtSettler = (
  passages: readonly JudgedPassage[],
  verdicts: readonly Verdict[],
) => Promise<Verdict[]>;

/** Somebody else, who is asked about what our own check can't decide. */
export interface SecondOpinion {
  under(weigher: Weigher): DoubtSettler;
}
