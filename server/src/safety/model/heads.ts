/** What the model is asked about a text. The first few have columns of their own in the table; all are read off the bag. */
export const HEADS = [
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
export type Head = (typeof HEADS)[number];

export const LINEAR_HEADS = 4;
export const DIMENSIONS = 16;
/** Of the table: a weight for each linear head, then what a mark adds to each dimension of the bag. */
export const COLUMNS = LINEAR_HEADS + DIMENSIONS;

export function headAt(head: Head): number {
  return HEADS.indexOf(head);
}

/** What raw scores are calibrated for: a head, asked about a whole text or about the worst window of one. */
export const QUESTIONS = [
  "attack_user",
  "attack_user_window",
  "attack_document",
  "attack_document_window",
  "unsafe",
  "moderation",
] as const;
export type Question = (typeof QUESTIONS)[number];
