/** The classes of the model. Each has a column in the weight table. */
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

/** The number of columns in the weight table. */
export const CLASS_COUNT = CLASSES.length;

export function classIndex(className: ClassName): number {
  return CLASSES.indexOf(className);
}

/**
 * What raw scores are calibrated for: a class scored by the worst section or by the worst window. Answers always use the
 * worst window; documents combine the worst window and the worst sentence.
 */
export const CALIBRATION_NAMES = [
  "attack_user",
  "attack_user_window",
  "jailbreak",
  "attack_document",
  "unsafe",
  "moderation",
] as const;
export type CalibrationName = (typeof CALIBRATION_NAMES)[number];

/** A piecewise linear map from raw scores to scores. Both lists rise. */
export interface Calibration {
  readonly raw: readonly number[];
  readonly score: readonly number[];
}

/**
 * The calibrated score, strictly between 0 and 1. Beyond both ends it still rises, but ever less, so that different raw
 * scores stay different.
 */
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

// A longer text contains more of everything, so its worst score proves less.

/** From this length on each doubling costs a penalty, up to this number of doublings. */
const SHORT_REQUEST_CHARACTERS = 64;
const REQUEST_DOUBLINGS_MAX = 2;
const REQUEST_LENGTH_PENALTY = 0.3;
/**
 * Harmful requests wrapped in a scenario are never shorter than this; shorter texts are scored by wording alone. In
 * bytes, as Chinese words have fewer characters.
 */
const SCENARIO_BYTES_MIN = 150;
/** Beyond this length, each doubling of the length costs one penalty. */
const LONG_DOCUMENT_CHARACTERS = 300;
const DOCUMENT_LENGTH_PENALTY = 0.5;

/** The raw score of an attack in a request, adjusted for the length of the request. */
export function adjustRequestScore(raw: number, text: string): number {
  const doublings = Math.min(REQUEST_DOUBLINGS_MAX, doublingsOver(SHORT_REQUEST_CHARACTERS, text.length));
  return raw - REQUEST_LENGTH_PENALTY * doublings;
}

/** Whether a text is long enough to be scored as a scenario. */
export function canBeScenario(text: string): boolean {
  return text.length >= SCENARIO_BYTES_MIN || Buffer.byteLength(text) >= SCENARIO_BYTES_MIN;
}

/** The raw score of an instruction in a document, adjusted for the length of the document. */
export function adjustDocumentScore(raw: number, text: string): number {
  return raw - DOCUMENT_LENGTH_PENALTY * doublingsOver(LONG_DOCUMENT_CHARACTERS, text.length);
}

function doublingsOver(least: number, length: number): number {
  return Math.max(0, Math.log2(length / least));
}
