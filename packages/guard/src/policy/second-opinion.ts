import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import type { Detection } from "../detector.ts";
import type { SafetyPolicy } from "./policy.ts";

/** A text that is judged by itself. */
export interface TextPassage {
  readonly text: string;
  readonly channel: Channel;
}

/** What is made of whatever was seen in a text. */
export interface PolicyEvaluator {
  readonly policy: SafetyPolicy;
  applyPolicy(detection: Detection): Verdict;
}

/** The verdicts on these texts, with the doubts settled where there were any. Never throws. */
export type UncertaintyResolver = (
  passages: readonly TextPassage[],
  verdicts: readonly Verdict[],
) => Promise<Verdict[]>;

/** Somebody else, who is asked about what our own check can't decide. */
export interface SecondOpinion {
  resolverFor(policyEvaluator: PolicyEvaluator): UncertaintyResolver;
}
