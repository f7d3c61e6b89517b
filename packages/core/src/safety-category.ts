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
