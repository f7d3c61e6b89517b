import {
  denseFeatureCount,
  fillRuleFeatures,
  fillTextFeatures,
  type RuleHit,
  TEXT_FEATURE_COUNT,
} from "./figures.ts";
import { CLASS_COUNT } from "./heads.ts";
import type { Passage } from "./passage.ts";
import type { SafetyWeights } from "./weights.ts";

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
