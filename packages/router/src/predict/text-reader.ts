import type { Inference } from "@trunkline/core/inference.ts";
import type { DomainShare } from "@trunkline/core/prediction.ts";
import { RowSums } from "./row-sums.ts";
import { newMarks, scanText } from "./scan-text.ts";
import { FIGURES, figuresOf, SHAPES, shapePlaces } from "./shape-of-text.ts";
import { DOMAINS_OF_WORD, evidentDomain, subjectText } from "./subject-of.ts";
import { type Leaning, TextReading } from "./text-reading.ts";
import type { Weights } from "./weights.ts";

/** By how much the marks of the shape count, beside those of the words. */
export const SHAPE_WEIGHT = 0.15;

/** Domains that are less likely than this are left out, and more than these are not looked at. */
const LEAST_SHARE = 0.02;
const MOST_SHARES = 6;

/** By how much the client's word for the task moves the domains that it stands for, in log-odds. */
const WORD_GAIN = 2.5;

const FOREIGN_SHARE = 0.3;

const NO_FIGURES: readonly number[] = Array(FIGURES).fill(0);

/** Reads off a request what it is about and how hard it is. */
export class TextReader {
  private readonly marks = newMarks();
  private readonly shape = new Uint16Array(SHAPES);
  private readonly figures = [...NO_FIGURES];
  private readonly rows: RowSums;
  private readonly sums: Float64Array;
  private readonly chances: Float64Array;
  private readonly placeOfDomain: ReadonlyMap<string, number>;
  private readonly familyOfDomain: ReadonlyMap<string, string>;
  /** By domain: the column of its family's difficulty, or -1. */
  private readonly hardness: Int32Array;
  private readonly weights: Weights;

  constructor(weights: Weights) {
    const { domains, families } = weights;
    this.weights = weights;
    this.rows = new RowSums(weights.table, domains.length + families.length);
    this.sums = new Float64Array(domains.length + families.length);
    this.chances = new Float64Array(domains.length);
    this.placeOfDomain = new Map(domains.map(({ name }, at) => [name, at]));
    this.familyOfDomain = new Map(domains.map(({ name, family }) => [name, family]));
    this.hardness = Int32Array.from(domains, ({ family }) => {
      const at = families.indexOf(family);
      return at < 0 ? -1 : domains.length + at;
    });
  }

  read(inference: Inference): TextReading {
    const evident = evidentDomain(inference);
    if (evident !== undefined) return this.certainly(evident);
    const text = subjectText(inference);
    scanText(text, this.marks);
    const { counts } = this.marks;
    if ((counts[1] ?? 0) === 0 && (counts[2] ?? 0) === 0) return this.certainly(undefined);
    if ((counts[16] ?? 0) > FOREIGN_SHARE * (counts[1] ?? 0)) return this.certainly("other languages");
    shapePlaces(this.marks, this.shape);
    figuresOf(this.marks, this.figures);
    this.addUp();
    for (const domain of DOMAINS_OF_WORD.get(inference.task.word) ?? []) {
      const at = this.placeOfDomain.get(domain);
      if (at !== undefined) this.sums[at] = (this.sums[at] ?? 0) + WORD_GAIN;
    }
    return this.conclude();
  }

  /** A reading of one domain without doubt, or of none. */
  private certainly(domain: string | undefined): TextReading {
    const shares: DomainShare[] = domain === undefined ? [] : [{ domain, share: 1 }];
    const at = domain === undefined ? undefined : this.placeOfDomain.get(domain);
    const leanings: Leaning[] = at === undefined ? [] : [{ at, ease: 0, parting: 0 }];
    return new TextReading(shares, leanings, 0.5, NO_FIGURES, this.familyOfDomain);
  }

  private addUp(): void {
    const { scales } = this.weights;
    const { rows, sums, shape, marks } = this;
    const wordWeight = 1 / Math.sqrt(marks.size + 1);
    const ofWords = rows.of(marks.places, marks.size);
    for (let column = 0; column < sums.length; column++) sums[column] = (ofWords[column] ?? 0) * wordWeight;
    const ofShape = rows.of(shape, SHAPES);
    for (let column = 0; column < sums.length; column++) {
      const whole = (sums[column] ?? 0) + SHAPE_WEIGHT * (ofShape[column] ?? 0);
      sums[column] = whole * (scales[column] ?? 0);
    }
  }

  private conclude(): TextReading {
    const { domains, spread } = this.weights;
    const { chances, sums } = this;
    let highest = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < chances.length; at++) highest = Math.max(highest, sums[at] ?? 0);
    let whole = 0;
    for (let at = 0; at < chances.length; at++) {
      const chance = Math.exp((sums[at] ?? 0) - highest);
      chances[at] = chance;
      whole += chance;
    }
    const shares: DomainShare[] = [];
    const leanings: Leaning[] = [];
    let difficulty = 0;
    let known = 0;
    while (shares.length < MOST_SHARES) {
      let best = 0;
      for (let at = 1; at < chances.length; at++) if ((chances[at] ?? 0) > (chances[best] ?? 0)) best = at;
      const share = (chances[best] ?? 0) / whole;
      if (share < LEAST_SHARE) break;
      chances[best] = 0;
      const leaning = this.lean(best);
      leanings.push(leaning);
      shares.push({ domain: domains[best]?.name ?? "", share });
      difficulty += share / (1 + Math.exp((1.7 * leaning.ease) / (spread[best] ?? 1)));
      known += share;
    }
    const hard = known > 0 ? difficulty / known : 0.5;
    return new TextReading(shares, leanings, hard, this.figures.slice(), this.familyOfDomain);
  }

  private lean(at: number): Leaning {
    const { weights, figures, hardness, sums } = this;
    const column = hardness[at] ?? -1;
    if (column < 0) return { at, ease: 0, parting: 0 };
    let ease = sums[column] ?? 0;
    let parting = 0;
    const start = at * 2 * FIGURES;
    for (let figure = 0; figure < FIGURES; figure++) {
      const value = figures[figure] ?? 0;
      ease += value * (weights.figures[start + figure] ?? 0);
      parting += value * (weights.figures[start + FIGURES + figure] ?? 0);
    }
    return { at, ease, parting };
  }
}
