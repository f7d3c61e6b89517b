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

/** What raw scores mean: both rise from left to right, and between two points the line is straight. */
export interface Calibration {
  readonly raw: readonly number[];
  readonly score: readonly number[];
}

/** The score of a raw one, above 0 and below 1. Beyond the ends it still rises, ever less: no two different texts get the same. */
export function applyCalibration({ raw, score }: Calibration, value: number): number {
  const last = raw.length - 1;
  const lowest = raw[0] ?? 0;
  const highest = raw[last] ?? 0;
  if (value <= lowest) return (score[0] ?? 0) * Math.exp((value - lowest) / 2);
  if (value >= highest) {
    const left = 1 - (score[last] ?? 1);
    return 1 - left * Math.exp((highest - value) / 2);
  }
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((raw[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  const from = raw[low] ?? 0;
  const share = (value - from) / ((raw[high] ?? 0) - from);
  const base = score[low] ?? 0;
  return base + share * ((score[high] ?? 0) - base);
}

export function isValidCalibration({ raw, score }: Calibration): boolean {
  const rises = (values: readonly number[]) =>
    values.every((value, at) => Number.isFinite(value) && (at === 0 || value > (values[at - 1] ?? value)));
  const inside = (score[0] ?? -1) > 0 && (score.at(-1) ?? 2) < 1;
  return raw.length >= 2 && raw.length === score.length && rises(raw) && rises(score) && inside;
}

/** Any long text has a little of everything, so that the worst of it, or all of it together, proves less the longer it is. */

/** No scene is built around a harmful request with fewer bytes: a shorter text is judged by how it asks. In bytes, as a word of Chinese has fewer letters. */
const SCENARIO_BYTES_MIN = 150;
/** Beyond so many characters, twice as many cost so much. */
const LONG_SCENARIO_CHARACTERS = 600;
const SCENARIO_LENGTH_PENALTY = 1;
const LONG_DOCUMENT_CHARACTERS = 300;
const DOCUMENT_LENGTH_PENALTY = 0.5;

/** For how sure the model is of a scene, from what it makes of all of a text. */
export function adjustScenarioScore(raw: number, text: string): number {
  if (!canBeScenario(text)) return Number.NEGATIVE_INFINITY;
  return raw - SCENARIO_LENGTH_PENALTY * doublingsOver(LONG_SCENARIO_CHARACTERS, text.length);
}

export function canBeScenario(text: string): boolean {
  return text.length >= SCENARIO_BYTES_MIN || Buffer.byteLength(text) >= SCENARIO_BYTES_MIN;
}

/** For how sure it is of an order in a document, from what it makes of the worst window and the worst sentence. */
export function adjustDocumentScore(raw: number, text: string): number {
  return raw - DOCUMENT_LENGTH_PENALTY * doublingsOver(LONG_DOCUMENT_CHARACTERS, text.length);
}

function doublingsOver(least: number, length: number): number {
  return Math.max(0, Math.log2(length / least));
}
