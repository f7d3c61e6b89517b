import type { Inference } from "@trunkline/core/inference.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { SafetyPolicy } from "../policy/policy.ts";
import { ruleDetector } from "../rules/rule-detector.ts";
import type { Passage } from "./request-passages.ts";

/** How much of the text around a span is examined with it. */
const CONTEXT_CHARACTERS = 256;

/**
 * Agents put words of their own around a user's turn: reminders, rules, the state of their work. To the classifier these
 * are instructions like any other, so in a chat with tools its opinion alone is reported instead of refused. What the
 * rules know as an attack is refused there as everywhere, and so are instructions in documents and in results of tools.
 */
export function spareAgents(
  policy: SafetyPolicy,
  { conversation }: Inference,
  passages: readonly Passage[],
  verdicts: readonly Verdict[],
): readonly Verdict[] {
  if (policy.injection.sparesAgents !== true || conversation.tools.length === 0) return verdicts;
  return verdicts.map((verdict, index) => {
    const passage = passages[index];
    const isSpared =
      passage?.channel === "user" && isRefusedAsInstruction(verdict) && !isAttack(policy, passage, verdict);
    return isSpared ? { ...verdict, action: "report", acted: { ...verdict.acted, injection: "report" } } : verdict;
  });
}

function isRefusedAsInstruction({ action, acted = {} }: Verdict): boolean {
  return (
    action === "refuse" &&
    Object.entries(acted).every(([category, taken]) => (taken === "refuse") === (category === "injection"))
  );
}

/** Whether the rules alone would refuse a part that was found. */
function isAttack({ injection }: SafetyPolicy, { text }: Passage, { spans }: Verdict): boolean {
  return spans
    .filter(({ category }) => category === "injection")
    .some(({ start, end }) => {
      const around = text.slice(Math.max(0, start - CONTEXT_CHARACTERS), end + CONTEXT_CHARACTERS);
      return ruleDetector.detect(around, "user").scores.injection >= (injection.refuseAt ?? Number.POSITIVE_INFINITY);
    });
}
