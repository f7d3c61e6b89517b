import { COUNTS, LEXICON_CLASSES, LEXICON_FROM } from "./block-counts.ts";

/** Figures of a passage that are weighed as they are, beside its marks: its shape, its words of the lexicon, and the rules that found something. */

const SHAPE = 14;
const LEXICON_AT = SHAPE;
/** The last classes of the lexicon are cues: who is spoken to, and what is wanted. They tell more side by side. */
export const CUES_FROM = 24;
const CUES = 6;
const CUE_PAIRS = (CUES * (CUES - 1)) / 2;
const PAIRS_AT = LEXICON_AT + 2 * LEXICON_CLASSES;
const RULES_AT = PAIRS_AT + CUE_PAIRS;
/** So many tell of the words alone, and come first. */
export const WITHOUT_RULES = RULES_AT;
/** How many rules agree, after the rules themselves. */
const TOGETHER = 3;

/** A place where a rule applies, as the model hears of it. */
export interface RuleHit {
  /** Of the names in the weights; -1 for one that they don't know. */
  readonly rule: number;
  /** 1, or less where the words are only mentioned. */
  readonly weight: number;
  /** The block in which it begins. */
  readonly block: number;
}

export function figuresFor(rules: number): number {
  return RULES_AT + rules + TOGETHER;
}

/** Whether a figure tells of cues. */
export function isCue(figure: number): boolean {
  const first = LEXICON_AT + 2 * CUES_FROM;
  return (figure >= first && figure < first + 2 * CUES) || (figure >= PAIRS_AT && figure < RULES_AT);
}

/** Fills in the figures of a passage from the counts of its blocks. */
export function tellFigures(counts: Int32Array, figures: Float32Array): void {
  const of = (count: number) => counts[count] ?? 0;
  const characters = of(COUNTS.characters) + 1;
  const words = of(COUNTS.words) + 1;
  const latin = of(COUNTS.latinWords);
  const strange = latin < 3 ? 0 : of(COUNTS.strangeWords) / latin;
  const junctions = of(COUNTS.junctions) / words;
  const humps = of(COUNTS.humps) / words;
  const signs = of(COUNTS.signs) / characters;
  figures[0] = 1;
  figures[1] = Math.min(2, Math.log2(characters) / 6);
  figures[2] = strange;
  figures[3] = strange > 0.3 ? 1 : 0;
  figures[4] = Math.min(1, junctions);
  figures[5] = Math.min(1, 2 * humps);
  figures[6] = Math.min(1, 3 * signs);
  figures[7] = of(COUNTS.digits) / characters;
  figures[8] = Math.min(1, (2 * of(COUNTS.capitals)) / characters);
  figures[9] = Math.min(1, (20 * of(COUNTS.lines)) / characters);
  figures[10] = Math.min(1, 3 * strange * junctions);
  figures[11] = Math.min(1, 4 * junctions * humps);
  figures[12] = Math.min(1, 3 * strange * humps);
  figures[13] = characters < 32 ? 1 : 0;
  for (let at = 0; at < LEXICON_CLASSES; at++) {
    const hits = of(LEXICON_FROM + at);
    figures[LEXICON_AT + 2 * at] = hits > 0 ? 1 : 0;
    figures[LEXICON_AT + 2 * at + 1] = hits > 0 ? Math.min(1, (4 * hits) / words) : 0;
  }
  figures.fill(0, PAIRS_AT);
  for (let one = 0; one < CUES; one++) {
    if (of(LEXICON_FROM + CUES_FROM + one) === 0) continue;
    for (let other = one + 1; other < CUES; other++)
      if (of(LEXICON_FROM + CUES_FROM + other) > 0) figures[PAIRS_AT + pairOf(one, other)] = 1;
  }
}

/** Where a pair of cues stands among all pairs, in order. */
function pairOf(one: number, other: number): number {
  return (one * (2 * CUES - one - 1)) / 2 + other - one - 1;
}

/** Fills in what the rules found in the blocks from one to another, end exclusive. */
export function tellRules(hits: readonly RuleHit[], from: number, to: number, figures: Float32Array): void {
  let found = 0;
  let strong = 0;
  for (const { rule, weight, block } of hits) {
    if (rule < 0 || block < from || block >= to) continue;
    const at = RULES_AT + rule;
    if (figures[at] === 0) found++;
    if (weight === 1) strong++;
    figures[at] = Math.max(figures[at] ?? 0, weight);
  }
  const together = figures.length - TOGETHER;
  figures[together] = found > 0 ? 1 : 0;
  figures[together + 1] = found > 1 ? 1 : 0;
  figures[together + 2] = strong > 2 ? 1 : 0;
}
