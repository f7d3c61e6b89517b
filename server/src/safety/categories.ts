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
