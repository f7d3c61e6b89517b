import { SUFFIX_FEATURES, type SuffixWeights, WORD_PAIR_TABLE_BYTES } from "./adversarial-suffix.ts";
import {
  CALIBRATION_NAMES,
  type Calibration,
  type CalibrationName,
  CLASS_COUNT,
  CLASSES,
  isValidCalibration,
} from "./classes.ts";
import {
  denseFeatureCount,
  fillRuleFeatures,
  fillTextFeatures,
  type RuleHit,
  TEXT_FEATURE_COUNT,
} from "./dense-features.ts";
import { FEATURE_BUCKETS, type Vocabulary } from "./feature-scanner.ts";
import type { Passage } from "./sliding-window.ts";

const NO_HITS: readonly RuleHit[] = [];

/** A word or two prove nothing: below so many marks a passage is believed the less the fewer they are. */
const FEATURES_ENOUGH = 36;
const FEW_FEATURES_PENALTY = 2;

/** Weighs passages. It looks at one at a time, and then tells what each head makes of it. */
export class SafetyModel {
  readonly weights: SafetyWeights;
  /** The table, four numbers a word. */
  readonly table: Int32Array;
  readonly #denseFeatures: Float32Array;
  /** Which figures are not zero: most are. */
  readonly #activeFeatures: Int32Array;
  #activeFeatureCount = 0;
  #confidence = 1;
  readonly #classSums = new Float64Array(CLASS_COUNT);
  readonly #ruleAt: ReadonlyMap<string, number>;

  constructor(weights: SafetyWeights) {
    this.weights = weights;
    const { table, rules } = weights;
    this.table = new Int32Array(table.buffer, table.byteOffset, table.byteLength / 4);
    this.#denseFeatures = new Float32Array(denseFeatureCount(rules.length));
    this.#activeFeatures = new Int32Array(this.#denseFeatures.length);
    this.#ruleAt = new Map(rules.map((name, at) => [name, at]));
  }

  /** The number of a rule; -1 for one that was not there to be weighed. */
  ruleAt(name: string): number {
    return this.#ruleAt.get(name) ?? -1;
  }

  /** Looks at a passage, and at what rules found in its blocks from one to another. */
  prepare(passage: Passage, hits: readonly RuleHit[] = NO_HITS, from = 0, to = 0): void {
    const { scales } = this.weights;
    const figures = this.#denseFeatures;
    fillTextFeatures(passage.counts, figures);
    if (hits.length > 0) fillRuleFeatures(hits, from, to, figures);
    let told = 0;
    const last = hits.length > 0 ? figures.length : TEXT_FEATURE_COUNT;
    for (let at = 0; at < last; at++) if (figures[at] !== 0) this.#activeFeatures[told++] = at;
    this.#activeFeatureCount = told;
    this.#confidence = Math.min(1, passage.featureCount / FEATURES_ENOUGH);
    const root = 1 / Math.sqrt(passage.featureCount + 1);
    for (let column = 0; column < CLASS_COUNT; column++)
      this.#classSums[column] = (passage.sums[column] ?? 0) * (scales[column] ?? 0) * root;
  }

  /** What a head makes of the passage that was looked at last: above 0 for it, below against it. */
  rawScore(head: number): number {
    const raw = (this.#classSums[head] ?? 0) + this.#denseScore(head);
    return raw * this.#confidence - FEW_FEATURES_PENALTY * (1 - this.#confidence);
  }

  #denseScore(head: number): number {
    const { denseWeights: weights } = this.weights;
    const start = head * this.#denseFeatures.length;
    let sum = 0;
    for (let at = 0; at < this.#activeFeatureCount; at++) {
      const figure = this.#activeFeatures[at] ?? 0;
      sum += (this.#denseFeatures[figure] ?? 0) * (weights[start + figure] ?? 0);
    }
    return sum;
  }
}

/** What the safety model was taught, as it lies in a file. */
export interface SafetyWeights extends Vocabulary, SuffixWeights {
  /** The names of the rules that are weighed, in the order of their figures. */
  readonly rules: readonly string[];
  /** What a raw score means, by the name of the question. */
  readonly calibrations: Readonly<Record<CalibrationName, Calibration>>;
  /** By place: a number for each column, 128 for nothing. */
  readonly table: Uint8Array;
  /** By which the numbers of a column are multiplied. */
  readonly scales: Float32Array;
  /** By head: what each figure says for it. */
  readonly denseWeights: Float32Array;
}

/** Told in the file, so that weights are never read by code that reads texts in another way. */
const WEIGHTS_VERSION = 3;
const MAGIC = "TLSW";

interface WeightsFileHeader {
  readonly version: number;
  readonly places: number;
  readonly columns: number;
  readonly heads: readonly string[];
  readonly rules: readonly string[];
  readonly lexicon: number;
  readonly calibrations: SafetyWeights["calibrations"];
}

/** How many bytes each array has, in the order in which they lie: floats first, so that they are aligned. */
function arraySizes({ rules, lexicon }: Pick<WeightsFileHeader, "rules" | "lexicon">) {
  return {
    scales: 4 * CLASS_COUNT,
    figures: 4 * CLASSES.length * denseFeatureCount(rules.length),
    tail: 4 * SUFFIX_FEATURES,
    lexicon: 4 * lexicon,
    classes: lexicon,
    familiar: FEATURE_BUCKETS / 8,
    pairs: WORD_PAIR_TABLE_BYTES,
    table: FEATURE_BUCKETS * CLASS_COUNT,
  };
}

export function encodeWeights(weights: SafetyWeights): Uint8Array {
  const head: WeightsFileHeader = {
    version: WEIGHTS_VERSION,
    places: FEATURE_BUCKETS,
    columns: CLASS_COUNT,
    heads: CLASSES,
    rules: weights.rules,
    lexicon: weights.lexicon.length,
    calibrations: weights.calibrations,
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const sizes = arraySizes(head);
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  const bytes = new Uint8Array(8 + text.length + total);
  bytes.set(new TextEncoder().encode(MAGIC));
  new DataView(bytes.buffer).setUint32(4, text.length, true);
  bytes.set(text, 8);
  let at = 8 + text.length;
  for (const array of [
    weights.scales,
    weights.denseWeights,
    weights.tail,
    weights.lexicon,
    weights.lexiconCategories,
    weights.familiar,
    weights.pairs,
    weights.table,
  ]) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  return bytes;
}

export function decodeWeights(bytes: Uint8Array): SafetyWeights {
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== MAGIC) throw new Error("These are no safety weights.");
  const start = 8 + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4, true);
  const head: WeightsFileHeader = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  if (
    head.version !== WEIGHTS_VERSION ||
    head.places !== FEATURE_BUCKETS ||
    head.columns !== CLASS_COUNT ||
    head.heads.join() !== CLASSES.join()
  ) {
    throw new Error("The safety weights are of another version. Make them anew with npm run safety:train.");
  }
  if (!CALIBRATION_NAMES.every((question) => isValidCalibration(head.calibrations[question]))) {
    throw new Error("The safety weights hold a calibration that does not rise.");
  }
  const sizes = arraySizes(head);
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  if (bytes.length !== start + total) throw new Error("The safety weights are cut off.");
  let at = start;
  // A copy is aligned, wherever in the file it lay.
  const take = (size: number) => {
    const part = new Uint8Array(size);
    part.set(bytes.subarray(at, at + size));
    at += size;
    return part;
  };
  const floats = (size: number) => new Float32Array(take(size).buffer);
  return {
    rules: head.rules,
    calibrations: head.calibrations,
    scales: floats(sizes.scales),
    denseWeights: floats(sizes.figures),
    tail: floats(sizes.tail),
    lexicon: new Uint32Array(take(sizes.lexicon).buffer),
    lexiconCategories: take(sizes.classes),
    familiar: take(sizes.familiar),
    pairs: take(sizes.pairs),
    table: take(sizes.table),
  };
}
