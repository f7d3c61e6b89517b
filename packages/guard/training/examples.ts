import { seeded } from "@trunkline/core/seeded.ts";
import { COUNTED, COUNTS } from "../src/classifier/block-counts.ts";
import { type Vocabulary, WordScanner } from "../src/classifier/feature-scanner.ts";
import { figuresFor, type RuleHit, tellFigures, tellRules } from "../src/classifier/figures.ts";
import { HEADS, headAt } from "../src/classifier/heads.ts";
import { isWeighed, readingsOf, weightOf } from "../src/classifier/readings.ts";
import { SENTENCE_LEAST, SENTENCE_MOST, VIEWS } from "../src/classifier/text-weigher.ts";
import { WEIGHED_RULES } from "../src/rules/rule-sets.ts";
import type { Row } from "./rows.ts";
import { type Aim, aimsOf } from "./training-targets.ts";

export const FIGURES = figuresFor(WEIGHED_RULES.length);
/** More of a text teaches nothing more. */
const CHARACTERS_MOST = 2400;
/** Windows of long texts are examples of their own, about this long, and of documents shorter ones too. */
const WINDOW_BLOCKS = 8;
const SHORT_WINDOW_BLOCKS = 3;
const LONG_BLOCKS = 12;
/** Of a harmless text so many sentences are examples too, and of what is around an order. */
const SENTENCES_EACH = 3;
const SENTENCES_AROUND = 3;
/** All of an attack that is no longer than this is one; in a longer one nobody knows which sentence it is. */
const ATTACK_MOST = 400;

/** Passages to learn from, as numbers. */
export interface Examples {
  readonly marks: Int32Array;
  /** By example: where its marks begin and end, whose row it is, what each head should say and how much that counts. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly row: Int32Array;
  /** By example: where its figures that are not nothing begin; which they are, and how much. */
  readonly figuresFrom: Int32Array;
  readonly figureAt: Int32Array;
  readonly figureValue: Float32Array;
  readonly wanted: Uint8Array;
  readonly weight: Float32Array;
  readonly size: number;
}

const ruleAt = new Map(WEIGHED_RULES.map((name, at) => [name, at]));

export function makeExamples(rows: readonly Row[], vocabulary: Vocabulary, seed = 3): Examples {
  const store = new Store();
  const random = seeded(seed);
  rows.forEach((row, number) => {
    const aims = aimsOf(row);
    if (aims.length === 0) return;
    readingsOf(row.text.slice(0, CHARACTERS_MOST), row.channel)
      .filter(isWeighed)
      .forEach((reading, at, readings) => {
        const blocks = new Blocks(store, vocabulary, reading.text, VIEWS[row.channel].bySentence);
        const hits = reading.matches.map(
          (match, which): RuleHit => ({
            rule: ruleAt.get(match.rule.name) ?? -1,
            weight: weightOf(match),
            block: blocks.blockAt(reading.starts[which] ?? 0),
          }),
        );
        const isBad = row.label !== "benign";
        // What an attack hides in is no attack by itself, so that it teaches nothing as it stands.
        if (isBad && at === 0 && readings.length > 1 && row.focus === undefined) return;
        const share = at === 0 ? 1 : isBad ? 0.7 : 0.5;
        const add = (from: number, to: number, factor: number, chosen: readonly Aim[] = aims) =>
          store.add(blocks, hits, from, to, number, chosen, factor);
        if (at === 0) addSentences(row, aims, blocks, add, random);
        const { focus } = row;
        if (focus !== undefined && isBad && at === 0) {
          const first = blocks.blockAt(focus.start);
          const last = blocks.blockAt(focus.end - 1);
          add(first, last + 1, 1);
          add(Math.max(0, first - 1), Math.min(blocks.size, last + 2), 1);
          add(0, blocks.size, 1);
          const harmless = aimsOf({ ...row, label: "benign" });
          if (first >= 3) add(Math.max(0, first - WINDOW_BLOCKS), first, 0.5, harmless);
          if (blocks.size - last > 3)
            add(last + 1, Math.min(blocks.size, last + 1 + WINDOW_BLOCKS), 0.5, harmless);
          return;
        }
        add(0, blocks.size, share);
        if (blocks.size <= LONG_BLOCKS) return;
        if (!isBad) {
          for (const length of [WINDOW_BLOCKS, SHORT_WINDOW_BLOCKS]) {
            const from = Math.floor(random() * (blocks.size - length));
            add(from, from + length, 0.5 * share);
          }
        } else if (row.channel !== "document") {
          add(0, WINDOW_BLOCKS, 0.4 * share);
          add(blocks.size - WINDOW_BLOCKS, blocks.size, 0.2 * share);
        }
      });
  });
  return store.examples();
}

/** Documents are judged by their sentences, too. */
function addSentences(
  row: Row,
  aims: readonly Aim[],
  blocks: Blocks,
  add: (from: number, to: number, factor: number, chosen: readonly Aim[]) => void,
  random: () => number,
): void {
  const ofDocuments = aims.filter(({ head }) => head === "attack_document");
  if (ofDocuments.length === 0) return;
  const sentences = blocks.sentences();
  const teach = (some: readonly Sentence[], factor: number, chosen: readonly Aim[]) => {
    for (const { from, to } of some) add(from, to, factor, chosen);
  };
  if (row.label === "benign") {
    const some = chosenOf(sentences, SENTENCES_EACH, random);
    teach(some, 1 / Math.sqrt(some.length), ofDocuments);
    return;
  }
  const focus = row.focus ?? (row.text.length < ATTACK_MOST ? { start: 0, end: row.text.length } : undefined);
  if (focus === undefined) return;
  const inFocus = ({ start, end }: Sentence) =>
    (Math.min(end, focus.end) - Math.max(start, focus.start)) / (end - start);
  teach(
    sentences.filter((sentence) => inFocus(sentence) > 0.6),
    1,
    ofDocuments,
  );
  const around = sentences.filter((sentence) => inFocus(sentence) < 0.05);
  const harmless = ofDocuments.map((aim): Aim => ({ ...aim, wanted: 0 }));
  teach(chosenOf(around, SENTENCES_AROUND, random), 0.5, harmless);
}

/** Some of them, by chance. */
function chosenOf<T>(all: readonly T[], most: number, random: () => number): T[] {
  const left = [...all];
  const chosen: T[] = [];
  while (chosen.length < most && left.length > 0)
    chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen;
}

/** Some blocks in a row, and the characters that these are. */
interface Sentence {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** The blocks of one text, their marks in the common store. */
class Blocks {
  readonly marksAt: number[] = [];
  readonly counts: Int32Array[] = [];
  readonly ends: number[] = [];

  constructor(store: Store, vocabulary: Vocabulary, text: string, cutsValues: boolean) {
    this.marksAt.push(store.marksSize);
    const scanner = new WordScanner(
      vocabulary,
      (marks, size, counts, end) => {
        store.addMarks(marks, size);
        this.marksAt.push(store.marksSize);
        this.counts.push(counts.slice());
        this.ends.push(end);
      },
      cutsValues,
    );
    scanner.read(text);
    scanner.finish();
  }

  get size(): number {
    return this.ends.length;
  }

  /** Cut as in service. */
  sentences(): Sentence[] {
    const sentences: Sentence[] = [];
    let from = 0;
    for (let block = 0; block < this.size; block++) {
      const start = from === 0 ? 0 : (this.ends[from - 1] ?? 0);
      const end = this.ends[block] ?? 0;
      if (this.counts[block]?.[COUNTS.ends] !== 1 && end - start < SENTENCE_MOST && block < this.size - 1)
        continue;
      if (end - start >= SENTENCE_LEAST) sentences.push({ from, to: block + 1, start, end });
      from = block + 1;
    }
    return sentences;
  }

  blockAt(offset: number): number {
    const at = this.ends.findIndex((end) => end > offset);
    return at < 0 ? this.size - 1 : at;
  }
}

class Store {
  #marks = new Int32Array(1 << 20);
  marksSize = 0;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #row: number[] = [];
  readonly #figuresFrom: number[] = [0];
  readonly #figureAt: number[] = [];
  readonly #figureValue: number[] = [];
  readonly #wanted: Uint8Array[] = [];
  readonly #weight: Float32Array[] = [];

  addMarks(marks: Int32Array, size: number): void {
    if (this.marksSize + size > this.#marks.length) {
      const larger = new Int32Array(2 * this.#marks.length);
      larger.set(this.#marks);
      this.#marks = larger;
    }
    this.#marks.set(marks.subarray(0, size), this.marksSize);
    this.marksSize += size;
  }

  add(
    blocks: Blocks,
    hits: readonly RuleHit[],
    from: number,
    to: number,
    row: number,
    aims: readonly Aim[],
    factor: number,
  ): void {
    const start = blocks.marksAt[from] ?? 0;
    const end = blocks.marksAt[to] ?? 0;
    if (end === start) return;
    const counts = new Int32Array(COUNTED);
    for (let block = from; block < to; block++) {
      const its = blocks.counts[block];
      if (its !== undefined)
        for (let at = 0; at < COUNTED; at++) counts[at] = (counts[at] ?? 0) + (its[at] ?? 0);
    }
    const figures = new Float32Array(FIGURES);
    tellFigures(counts, figures);
    if (hits.length > 0) tellRules(hits, from, to, figures);
    const wanted = new Uint8Array(HEADS.length);
    const weight = new Float32Array(HEADS.length);
    for (const aim of aims) {
      const at = headAt(aim.head);
      wanted[at] = aim.wanted;
      weight[at] = aim.weight * factor;
    }
    this.#from.push(start);
    this.#to.push(end);
    this.#row.push(row);
    figures.forEach((value, at) => {
      if (value === 0) return;
      this.#figureAt.push(at);
      this.#figureValue.push(value);
    });
    this.#figuresFrom.push(this.#figureAt.length);
    this.#wanted.push(wanted);
    this.#weight.push(weight);
  }

  examples(): Examples {
    const size = this.#from.length;
    const wanted = new Uint8Array(size * HEADS.length);
    const weight = new Float32Array(size * HEADS.length);
    for (let at = 0; at < size; at++) {
      wanted.set(this.#wanted[at] ?? [], at * HEADS.length);
      weight.set(this.#weight[at] ?? [], at * HEADS.length);
    }
    return {
      marks: this.#marks.slice(0, this.marksSize),
      from: Int32Array.from(this.#from),
      to: Int32Array.from(this.#to),
      row: Int32Array.from(this.#row),
      figuresFrom: Int32Array.from(this.#figuresFrom),
      figureAt: Int32Array.from(this.#figureAt),
      figureValue: Float32Array.from(this.#figureValue),
      wanted,
      weight,
      size,
    };
  }
}
