import { SUFFIX_FEATURES, type SuffixWeights, WORD_PAIR_TABLE_BYTES } from "./adversarial-suffix.ts";
import {
  CALIBRATION_NAMES,
  type Calibration,
  type CalibrationName,
  CLASS_COUNT,
  CLASSES,
  isValidCalibration,
} from "./classes.ts";
import { DenseFeatures, denseFeatureCount, type RuleHit } from "./dense-features.ts";
import { FEATURE_BUCKETS } from "./feature-scanner.ts";
import type { Passage } from "./sliding-window.ts";
import type { Vocabulary } from "./word-sums.ts";
import { WordSums } from "./word-sums.ts";

const NO_HITS: readonly RuleHit[] = [];

/** Passages with fewer features than this are scored with less confidence, as a word or two prove nothing. */
const FEATURES_ENOUGH = 36;
const FEW_FEATURES_PENALTY = 2;

/** Scores passages. `prepare` loads one passage; `rawScore` then returns its score for a class. */
export class SafetyModel {
  readonly weights: SafetyWeights;
  /** The weight table, four values per 32-bit word. */
  readonly table: Int32Array;
  readonly wordSums: WordSums;
  readonly #denseFeatures: DenseFeatures;
  readonly #denseFeatureCount: number;
  #confidence = 1;
  readonly #classSums = new Float64Array(CLASS_COUNT);
  readonly #ruleAt: ReadonlyMap<string, number>;

  constructor(weights: SafetyWeights) {
    this.weights = weights;
    const { table, rules } = weights;
    this.table = new Int32Array(table.buffer, table.byteOffset, table.byteLength / 4);
    this.wordSums = new WordSums(this.table, weights);
    this.#denseFeatures = new DenseFeatures(rules.length);
    this.#denseFeatureCount = denseFeatureCount(rules.length);
    this.#ruleAt = new Map(rules.map((name, at) => [name, at]));
  }

  /** The index of a rule; -1 for one that was unknown in training. */
  ruleAt(name: string): number {
    return this.#ruleAt.get(name) ?? -1;
  }

  /** Loads a passage and the rule matches in its blocks `from` to `to`. */
  prepare(passage: Passage, hits: readonly RuleHit[] = NO_HITS, from = 0, to = 0): void {
    const { scales } = this.weights;
    this.#denseFeatures.fromCounts(passage.counts);
    if (hits.length > 0) this.#denseFeatures.addRules(hits, from, to);
    this.#confidence = Math.min(1, passage.featureCount / FEATURES_ENOUGH);
    const root = 1 / Math.sqrt(passage.featureCount + 1);
    const { sums } = passage;
    const classSums = this.#classSums;
    for (let column = 0; column < classSums.length; column++)
      classSums[column] = (sums[column] ?? 0) * (scales[column] ?? 0) * root;
  }

  /** The raw score of the loaded passage for a class: above 0 for it, below 0 against it. */
  rawScore(classId: number): number {
    const raw = (this.#classSums[classId] ?? 0) + this.#denseScore(classId);
    return raw * this.#confidence - FEW_FEATURES_PENALTY * (1 - this.#confidence);
  }

  #denseScore(classId: number): number {
    const { denseWeights: weights } = this.weights;
    const { indexes, values, size } = this.#denseFeatures;
    const start = classId * this.#denseFeatureCount;
    let sum = 0;
    for (let at = 0; at < size; at++) sum += (values[at] ?? 0) * (weights[start + (indexes[at] ?? 0)] ?? 0);
    return sum;
  }
}

/** The trained weights of the safety model, as stored in the file. */
export interface SafetyWeights extends Vocabulary, SuffixWeights {
  /** The names of the scored rules, in the order of their features. */
  readonly rules: readonly string[];
  /** The calibration of each kind of raw score. */
  readonly calibrations: Readonly<Record<CalibrationName, Calibration>>;
  /** By bucket: one byte per class, 128 for zero. */
  readonly table: Uint8Array;
  /** The factor for each column of the table. */
  readonly scales: Float32Array;
  /** By class: the weight of each dense feature. */
  readonly denseWeights: Float32Array;
}

/** Stored in the file, so that weights are only used with the feature extraction they were trained with. */
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

/** The size of each array in bytes, in file order. Floats come first, so that they are aligned. */
function arraySizes({ rules, lexicon }: Pick<WeightsFileHeader, "rules" | "lexicon">) {
  return {
    scales: 4 * CLASS_COUNT,
    denseWeights: 4 * CLASSES.length * denseFeatureCount(rules.length),
    tail: 4 * SUFFIX_FEATURES,
    lexicon: 4 * lexicon,
    lexiconCategories: lexicon,
    familiar: FEATURE_BUCKETS / 8,
    pairs: WORD_PAIR_TABLE_BYTES,
    table: FEATURE_BUCKETS * CLASS_COUNT,
  };
}

export function encodeWeights(weights: SafetyWeights): Uint8Array {
  const header: WeightsFileHeader = {
    version: WEIGHTS_VERSION,
    places: FEATURE_BUCKETS,
    columns: CLASS_COUNT,
    heads: CLASSES,
    rules: weights.rules,
    lexicon: weights.lexicon.length,
    calibrations: weights.calibrations,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const sizes = arraySizes(header);
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
  const header: WeightsFileHeader = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  if (
    header.version !== WEIGHTS_VERSION ||
    header.places !== FEATURE_BUCKETS ||
    header.columns !== CLASS_COUNT ||
    header.heads.join() !== CLASSES.join()
  ) {
    throw new Error("The safety weights are of another version. Rebuild them with npm run safety:train.");
  }
  if (!CALIBRATION_NAMES.every((question) => isValidCalibration(header.calibrations[question]))) {
    throw new Error("The safety weights hold a calibration that does not rise.");
  }
  const sizes = arraySizes(header);
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  if (bytes.length !== start + total) throw new Error("The safety weights are cut off.");
  let at = start;
  // Copies are aligned, wherever the array was in the file.
  const take = (size: number) => {
    const part = new Uint8Array(size);
    part.set(bytes.subarray(at, at + size));
    at += size;
    return part;
  };
  const floats = (size: number) => new Float32Array(take(size).buffer);
  return {
    rules: header.rules,
    calibrations: header.calibrations,
    scales: floats(sizes.scales),
    denseWeights: floats(sizes.denseWeights),
    tail: floats(sizes.tail),
    lexicon: new Int32Array(take(sizes.lexicon).buffer),
    lexiconCategories: take(sizes.lexiconCategories),
    familiar: take(sizes.familiar),
    pairs: take(sizes.pairs),
    table: take(sizes.table),
  };
}
