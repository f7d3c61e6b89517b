import type { SafetyAction } from "./verdict.ts";

/** Everything that a text can be flagged for. */
export const SAFETY_CATEGORIES = [
  "injection",
  "jailbreak",
  "unsafe_intent",
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
  "illicit",
  "pii",
  "secret",
] as const;
export type SafetyCategory = (typeof SAFETY_CATEGORIES)[number];

/** What is found as a value with a beginning and an end, and can be taken out of a text. */
export const REDACTABLE_CATEGORIES = ["pii", "secret"] as const satisfies readonly SafetyCategory[];
export type RedactableCategory = (typeof REDACTABLE_CATEGORIES)[number];

export function isRedactable(category: string): category is RedactableCategory {
  return REDACTABLE_CATEGORIES.some((redactable) => redactable === category);
}

/** From which score on a category is reported, from which its values are taken out, and from which it is refused; undefined: never. */
export interface SafetyThresholds {
  readonly reportAt: number | undefined;
  /** For `pii` and `secret` alone: nothing else is a value that could be taken out. */
  readonly redactAt?: number | undefined;
  readonly refuseAt: number | undefined;
}

export const SAFETY_PRESETS = ["strict", "balanced", "off"] as const;
export type SafetyPreset = (typeof SAFETY_PRESETS)[number];

export const POLICY_ACTIONS = ["refuse", "redact", "report", "allow"] as const satisfies readonly SafetyAction[];

/** An action for whatever would at least be reported without it, or thresholds of one's own. */
export type PolicyOverride = (typeof POLICY_ACTIONS)[number] | SafetyThresholds;
export type CategoryRules = Readonly<Partial<Record<SafetyCategory, PolicyOverride>>>;

/** What is to be done about categories. What is not said stays as it is; a preset says something of all. */
export interface PolicyRules {
  readonly preset?: SafetyPreset | undefined;
  readonly categories?: CategoryRules | undefined;
}

/** What holds for some models beside the rest: for those named, and for all of the providers named. */
export interface SafetyException extends PolicyRules {
  /** `name` or `provider/name`. */
  readonly models?: readonly string[] | undefined;
  readonly providers?: readonly string[] | undefined;
}

/** What one level says of safety: the service, an account or a key. What it does not say stays as the level below has it. */
export interface SafetyRules extends PolicyRules {
  readonly exceptions?: readonly SafetyException[] | undefined;
  /** Phrases that are not judged, wherever they stand. */
  readonly allowList?: readonly string[] | undefined;
  /** Everything is judged and recorded, and nothing is done about it. */
  readonly dryRun?: boolean | undefined;
  /** Whether values that were taken out of a request are put back into its answer. */
  readonly restore?: boolean | undefined;
}

/** What the service says. */
export interface ServiceSafetyRules extends SafetyRules {
  /** Accounts and keys can only be stricter. */
  readonly locked?: boolean | undefined;
}

/** What an account and its key say: one object for as long as neither changes, so that it can be remembered what follows from it. */
export interface CallerSafetyRules {
  readonly account: SafetyRules | undefined;
  readonly key: SafetyRules | undefined;
}
