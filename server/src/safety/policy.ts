import type { SafetyAction } from "../domain/verdict.ts";
import { isRedactable, SAFETY_CATEGORIES, type SafetyCategory } from "./categories.ts";

/** From which score on a category is reported, from which its values are taken out, and from which it is refused; undefined: never. */
export interface Thresholds {
  readonly reportAt: number | undefined;
  /** For `pii` and `secret` alone: nothing else is a value that could be taken out. */
  readonly redactAt?: number | undefined;
  readonly refuseAt: number | undefined;
}

/** What to do about each category of a verdict. */
export type SafetyPolicy = Readonly<Record<SafetyCategory, Thresholds>>;

export const SAFETY_PRESETS = ["strict", "balanced", "off"] as const;
export type SafetyPreset = (typeof SAFETY_PRESETS)[number];

export const POLICY_ACTIONS = [
  "refuse",
  "redact",
  "report",
  "allow",
] as const satisfies readonly SafetyAction[];

/** An action for whatever the preset would at least report, or thresholds of one's own. */
export type PolicyOverride = (typeof POLICY_ACTIONS)[number] | Thresholds;

/** Refuses plain attacks and the plainest unsafe requests, reports the doubtful, and lets everything else pass. */
export const BALANCED: SafetyPolicy = {
  injection: { reportAt: 0.5, refuseAt: 0.8 },
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

/** For services open to anyone: refuses or redacts what BALANCED only reports, at the price of more mistakes. */
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

const NEVER: Thresholds = { reportAt: undefined, refuseAt: undefined };

/** For an operator who moderates elsewhere. The sexual abuse of children stays refused: no deployment has a use for it. */
export const OFF: SafetyPolicy = {
  ...everyCategory(NEVER),
  sexual_minors: BALANCED.sexual_minors,
};

const PRESETS: Readonly<Record<SafetyPreset, SafetyPolicy>> = {
  strict: STRICT,
  balanced: BALANCED,
  off: OFF,
};

/** A preset with the operator's own decisions laid over it. */
export function policyOf(
  preset: SafetyPreset,
  overrides: Readonly<Partial<Record<SafetyCategory, PolicyOverride>>> = {},
): SafetyPolicy {
  const policy: Record<SafetyCategory, Thresholds> = { ...PRESETS[preset] };
  for (const category of SAFETY_CATEGORIES) {
    const override = overrides[category];
    if (override !== undefined) policy[category] = thresholdsOf(override, category, policy[category]);
  }
  return policy;
}

function thresholdsOf(override: PolicyOverride, category: SafetyCategory, preset: Thresholds): Thresholds {
  if (typeof override === "object") return override;
  if (override === "allow") return NEVER;
  // A preset that never acts has no score to start from; the balanced one's is the plain meaning of the word.
  const from = preset.reportAt ?? BALANCED[category].reportAt;
  return {
    reportAt: from,
    redactAt: override === "redact" ? from : undefined,
    refuseAt: override === "refuse" ? from : undefined,
  };
}

/** The first category that is to be redacted and can't be; undefined: there is none. */
export function unredactableOf(
  overrides: Readonly<Partial<Record<SafetyCategory, PolicyOverride>>>,
): SafetyCategory | undefined {
  return SAFETY_CATEGORIES.find((category) => {
    const override = overrides[category];
    const redacts = typeof override === "object" ? override.redactAt !== undefined : override === "redact";
    return redacts && !isRedactable(category);
  });
}

/** What a policy makes of one category's score. */
export function actionFor(policy: SafetyPolicy, category: SafetyCategory, score: number): SafetyAction {
  const { reportAt, redactAt, refuseAt } = policy[category];
  if (refuseAt !== undefined && score >= refuseAt) return "refuse";
  if (redactAt !== undefined && score >= redactAt) return "redact";
  return reportAt !== undefined && score >= reportAt ? "report" : "allow";
}

function everyCategory(thresholds: Thresholds): Record<SafetyCategory, Thresholds> {
  return {
    injection: thresholds,
    jailbreak: thresholds,
    unsafe_intent: thresholds,
    hate: thresholds,
    harassment: thresholds,
    sexual: thresholds,
    sexual_minors: thresholds,
    violence: thresholds,
    self_harm: thresholds,
    illicit: thresholds,
    pii: thresholds,
    secret: thresholds,
  };
}
