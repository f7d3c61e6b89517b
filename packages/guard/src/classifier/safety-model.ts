import { figuresFor, type RuleHit, tellFigures, tellRules, WITHOUT_RULES } from "./figures.ts";
import { COLUMNS } from "./heads.ts";
import type { Passage } from "./passage.ts";
import type { SafetyWeights } from "./weights.ts";

const NO_HITS: readonly RuleHit[] = [];

/** A word or two prove nothing: below so many marks a passage is believed the less the fewer they are. */
const MARKS_ENOUGH = 36;
const FEW_MARKS_LACK = 2;

/** Weighs passages. It looks at one at a time, and then tells what each head makes of it. */
export class SafetyModel {
  readonly weights: SafetyWeights;
  /** The table, four numbers a word. */
  readonly table: Int32Array;
  readonly #figures: Float32Array;
  /** Which figures are not zero: most are. */
  readonly #told: Int32Array;
  #toldSize = 0;
  #trust = 1;
  readonly #columns = new Float64Array(COLUMNS);
  readonly #ruleAt: ReadonlyMap<string, number>;

  constructor(weights: SafetyWeights) {
    this.weights = weights;
    const { table, rules } = weights;
    this.table = new Int32Array(table.buffer, table.byteOffset, table.byteLength / 4);
    this.#figures = new Float32Array(figuresFor(rules.length));
    this.#told = new Int32Array(this.#figures.length);
    this.#ruleAt = new Map(rules.map((name, at) => [name, at]));
  }

  /** The number of a rule; -1 for one that was not there to be weighed. */
  ruleAt(name: string): number {
    return this.#ruleAt.get(name) ?? -1;
  }

  /** Looks at a passage, and at what rules found in its blocks from one to another. */
  look(passage: Passage, hits: readonly RuleHit[] = NO_HITS, from = 0, to = 0): void {
    const { scales } = this.weights;
    const figures = this.#figures;
    tellFigures(passage.counts, figures);
    if (hits.length > 0) tellRules(hits, from, to, figures);
    let told = 0;
    const last = hits.length > 0 ? figures.length : WITHOUT_RULES;
    for (let at = 0; at < last; at++) if (figures[at] !== 0) this.#told[told++] = at;
    this.#toldSize = told;
    this.#trust = Math.min(1, passage.marks / MARKS_ENOUGH);
    const root = 1 / Math.sqrt(passage.marks + 1);
    for (let column = 0; column < COLUMNS; column++)
      this.#columns[column] = (passage.sums[column] ?? 0) * (scales[column] ?? 0) * root;
  }

  /** What a head makes of the passage that was looked at last: above 0 for it, below against it. */
  raw(head: number): number {
    const raw = (this.#columns[head] ?? 0) + this.#weighFigures(head);
    return raw * this.#trust - FEW_MARKS_LACK * (1 - this.#trust);
  }

  #weighFigures(head: number): number {
    const { figures: weights } = this.weights;
    const start = head * this.#figures.length;
    let sum = 0;
    for (let at = 0; at < this.#toldSize; at++) {
      const figure = this.#told[at] ?? 0;
      sum += (this.#figures[figure] ?? 0) * (weights[start + figure] ?? 0);
    }
    return sum;
  }
}
