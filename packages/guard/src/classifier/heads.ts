/** What the model is asked about a text. Each has a column of the table. */
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

/** Of the table: what a mark says for each head. */
export const COLUMNS = HEADS.length;

export function headAt(head: Head): number {
  return HEADS.indexOf(head);
}

/** What raw scores are calibrated for: a head, asked about a whole text or about the worst window of one; of answers always the latter, and of documents the worst window together with the worst sentence. */
export const QUESTIONS = [
  "attack_user",
  "attack_user_window",
  "jailbreak",
  "attack_document",
  "unsafe",
  "moderation",
] as const;
export type Question = (typeof QUESTIONS)[number];
