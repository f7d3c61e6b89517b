/** What the model is asked about a text. Each has a column of the table. */
export const CLASSES = [
  "attack_user",
  "attack_document",
  "unsafe",
  "moderation",
  "jailbreak",
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
  "illicit",
] as const;
export type ClassName = (typeof CLASSES)[number];

/** Of the table: what a mark says for each head. */
export const CLASS_COUNT = CLASSES.length;

export function classIndex(head: ClassName): number {
  return CLASSES.indexOf(head);
}

/** What raw scores are calibrated for: a head, asked about a whole text or about the worst window of one; of answers always the latter, and of documents the worst window together with the worst sentence. */
export const CALIBRATION_NAMES = [
  "attack_user",
  "attack_user_window",
  "jailbreak",
  "attack_document",
  "unsafe",
  "moderation",
] as const;
export type CalibrationName = (typeof CALIBRATION_NAMES)[number];
