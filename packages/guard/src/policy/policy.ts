import {
  type CategoryRules,
  type PolicyOverride,
  type PolicyRules,
  SAFETY_CATEGORIES,
  type SafetyCategory,
  type SafetyPreset,
  type SafetyThresholds,
} from "@trunkline/core/safety-policy.ts";
import type { SafetyAction } from "@trunkline/core/verdict.ts";

/** The thresholds of each category. */
export type SafetyPolicy = Readonly<Record<SafetyCategory, SafetyThresholds>>;

/** Refuses clear attacks and the clearest unsafe requests, reports uncertain texts, and allows the rest. */
export const BALANCED: SafetyPolicy = {
  injection: { reportAt: 0.5, refuseAt: 0.8, sparesAgents: true },
  jailbreak: { reportAt: 0.5, refuseAt: 0.8 },
  unsafe_intent: { reportAt: 0.5, refuseAt: 0.9 },
  hate: { reportAt: 0.5, refuseAt: 0.9 },
  harassment: { reportAt: 0.5, refuseAt: undefined },
  sexual: { reportAt: 0.7, refuseAt: undefined },
  sexual_minors: { reportAt: 0.3, refuseAt: 0.5 },
  violence: { reportAt: 0.5, refuseAt: 0.9 },
  self_harm: { reportAt: 0.5, refuseAt: 0.9 },
  illicit: { reportAt: 0.5, refuseAt: 0.9 },
  pii: { reportAt: 0.5, refuseAt: undefined },
  secret: { reportAt: 0.5, refuseAt: undefined },
};

/**
 * For services open to the public: refuses or redacts what BALANCED only reports, at the price of more false positives.
 */
export const STRICT: SafetyPolicy = {
  injection: { reportAt: 0.3, refuseAt: 0.6 },
  jailbreak: { reportAt: 0.3, refuseAt: 0.6 },
  unsafe_intent: { reportAt: 0.3, refuseAt: 0.6 },
  hate: { reportAt: 0.3, refuseAt: 0.6 },
  harassment: { reportAt: 0.3, refuseAt: 0.8 },
  sexual: { reportAt: 0.3, refuseAt: 0.8 },
  sexual_minors: { reportAt: 0.2, refuseAt: 0.3 },
  violence: { reportAt: 0.3, refuseAt: 0.6 },
  self_harm: { reportAt: 0.3, refuseAt: 0.6 },
  illicit: { reportAt: 0.3, refuseAt: 0.6 },
  pii: { reportAt: 0.5, redactAt: 0.5, refuseAt: undefined },
  secret: { reportAt: 0.5, redactAt: 0.5, refuseAt: undefined },
};

const NEVER: SafetyThresholds = { reportAt: undefined, refuseAt: undefined };

/** For an operator who moderates elsewhere. The sexual abuse of children is still refused: no deployment needs it. */
export const OFF: SafetyPolicy = {
  ...everyCategory(NEVER),
  sexual_minors: BALANCED.sexual_minors,
};

const PRESETS: Readonly<Record<SafetyPreset, SafetyPolicy>> = {
  strict: STRICT,
  balanced: BALANCED,
  off: OFF,
};

/** A preset with overrides for single categories. */
export function policyFromPreset(preset: SafetyPreset, categories: CategoryRules = {}): SafetyPolicy {
  return applyRules(BALANCED, { preset, categories });
}

/** Applies rules on top of a policy. A preset replaces the policy, then overrides replace single categories. */
export function applyRules(below: SafetyPolicy, { preset, categories = {} }: PolicyRules): SafetyPolicy {
  const policy: Record<SafetyCategory, SafetyThresholds> = {
    ...(preset === undefined ? below : PRESETS[preset]),
  };
  for (const category of SAFETY_CATEGORIES) {
    const override = categories[category];
    if (override !== undefined) policy[category] = thresholdsOf(override, category, policy[category]);
  }
  // Rules can never loosen this category.
  policy.sexual_minors = stricterThresholds(below.sexual_minors, policy.sexual_minors);
  return policy;
}

/** The stricter thresholds of two policies for each category. */
export function stricterPolicy(one: SafetyPolicy, other: SafetyPolicy): SafetyPolicy {
  const policy: Record<SafetyCategory, SafetyThresholds> = { ...one };
  for (const category of SAFETY_CATEGORIES) policy[category] = stricterThresholds(one[category], other[category]);
  return policy;
}

function stricterThresholds(one: SafetyThresholds, other: SafetyThresholds): SafetyThresholds {
  return {
    reportAt: lower(one.reportAt, other.reportAt),
    redactAt: lower(one.redactAt, other.redactAt),
    refuseAt: lower(one.refuseAt, other.refuseAt),
    ...(one.sparesAgents === true && other.sparesAgents === true ? { sparesAgents: true } : {}),
  };
}

function lower(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** A policy that reports whatever the given one would act on. */
export function reportOnlyPolicy(policy: SafetyPolicy): SafetyPolicy {
  const reporting: Record<SafetyCategory, SafetyThresholds> = { ...policy };
  for (const category of SAFETY_CATEGORIES) {
    if (category === "sexual_minors") continue;
    const { reportAt, redactAt, refuseAt } = policy[category];
    reporting[category] = { reportAt: lower(lower(reportAt, redactAt), refuseAt), refuseAt: undefined };
  }
  return reporting;
}

function thresholdsOf(override: PolicyOverride, category: SafetyCategory, preset: SafetyThresholds): SafetyThresholds {
  if (typeof override === "object") return override;
  if (override === "allow") return NEVER;
  // A preset that never acts has no threshold to start from, so the balanced one's is used.
  const from = preset.reportAt ?? BALANCED[category].reportAt;
  return {
    reportAt: from,
    redactAt: override === "redact" ? from : undefined,
    refuseAt: override === "refuse" ? from : undefined,
  };
}

/** The action of a policy for the score of a category. */
export function actionFor(policy: SafetyPolicy, category: SafetyCategory, score: number): SafetyAction {
  const { reportAt, redactAt, refuseAt } = policy[category];
  if (refuseAt !== undefined && score >= refuseAt) return "refuse";
  if (redactAt !== undefined && score >= redactAt) return "redact";
  return reportAt !== undefined && score >= reportAt ? "report" : "allow";
}

export function everyCategory<Value>(value: Value): Record<SafetyCategory, Value> {
  return {
    injection: value,
    jailbreak: value,
    unsafe_intent: value,
    hate: value,
    harassment: value,
    sexual: value,
    sexual_minors: value,
    violence: value,
    self_harm: value,
    illicit: value,
    pii: value,
    secret: value,
  };
}
