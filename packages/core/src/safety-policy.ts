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

/** Categories that are found as a value with a start and an end, which can be cut out of a text. */
export const REDACTABLE_CATEGORIES = ["pii", "secret"] as const satisfies readonly SafetyCategory[];
export type RedactableCategory = (typeof REDACTABLE_CATEGORIES)[number];

export function isRedactable(category: string): category is RedactableCategory {
  return REDACTABLE_CATEGORIES.some((redactable) => redactable === category);
}

/** Categories that an external judge can have another opinion on. A redactable value is either there or not. */
export const JUDGEABLE_CATEGORIES: readonly SafetyCategory[] = SAFETY_CATEGORIES.filter(
  (category) => !isRedactable(category),
);

/** The scores from which a category is reported, redacted and refused; undefined: never. */
export interface SafetyThresholds {
  readonly reportAt: number | undefined;
  /** Only for `pii` and `secret`: nothing else can be cut out. */
  readonly redactAt?: number | undefined;
  readonly refuseAt: number | undefined;
  /** Only for `injection`: words of an agent's own around a user's turn, which sound like instructions, are reported. */
  readonly sparesAgents?: boolean | undefined;
}

export const SAFETY_PRESETS = ["strict", "balanced", "off"] as const;
export type SafetyPreset = (typeof SAFETY_PRESETS)[number];

export const POLICY_ACTIONS = ["refuse", "redact", "report", "allow"] as const satisfies readonly SafetyAction[];

/** An action for every score that would at least be reported without it, or own thresholds. */
export type PolicyOverride = (typeof POLICY_ACTIONS)[number] | SafetyThresholds;
export type CategoryRules = Readonly<Partial<Record<SafetyCategory, PolicyOverride>>>;

/** What to do about categories. Unset ones keep their rule; a preset sets all of them. */
export interface PolicyRules {
  readonly preset?: SafetyPreset | undefined;
  readonly categories?: CategoryRules | undefined;
}

/** Rules for some models only: those named, and all of the named providers. */
export interface SafetyException extends PolicyRules {
  /** `name` or `provider/name`. */
  readonly models?: readonly string[] | undefined;
  readonly providers?: readonly string[] | undefined;
}

/** The safety rules of one level: service, account or key. Unset rules are inherited from the level above. */
export interface SafetyRules extends PolicyRules {
  readonly exceptions?: readonly SafetyException[] | undefined;
  /** Phrases that are ignored wherever they occur. */
  readonly allowList?: readonly string[] | undefined;
  /** Everything is checked and recorded, but no action is taken. */
  readonly dryRun?: boolean | undefined;
  /** Whether values that were redacted in a request are restored in its answer. */
  readonly restore?: boolean | undefined;
}

/** The service's own rules. */
export interface ServiceSafetyRules extends SafetyRules {
  /** Accounts and keys can only be stricter. */
  readonly locked?: boolean | undefined;
}

/**
 * The rules of an account and its key. The object stays the same until one of them changes, so results can be cached by
 * it.
 */
export interface CallerSafetyRules {
  readonly account: SafetyRules | undefined;
  readonly key: SafetyRules | undefined;
}
