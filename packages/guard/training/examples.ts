import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { CLASSES, classIndex } from "../src/classifier/classes.ts";
import {
  BLOCK_COUNTS,
  BLOCK_COUNTS_SIZE,
  DenseFeatures,
  denseFeatureCount,
  type RuleHit,
} from "../src/classifier/dense-features.ts";
import { FeatureScanner } from "../src/classifier/feature-scanner.ts";
import {
  decodeAndMatch,
  isScorable,
  matchWeight,
  SECTION_BLOCKS,
  SECTION_STRIDE_BLOCKS,
  SENTENCE_CHARACTERS_MAX,
  SENTENCE_CHARACTERS_MIN,
  WINDOW_SETTINGS,
} from "../src/classifier/text-scorer.ts";
import type { Vocabulary } from "../src/classifier/word-sums.ts";
import { SCORED_RULE_NAMES } from "../src/rules/rule-sets.ts";
import { PIECE_CHARACTERS } from "../src/screen/text-pieces.ts";
import { evaluatedTexts } from "./evaluated-texts.ts";
import type { Row } from "./rows.ts";
import { type TrainingTarget, targetsForRow } from "./training-targets.ts";

export const DENSE_FEATURES = denseFeatureCount(SCORED_RULE_NAMES.length);
/** Windows of long texts are examples too, about this long, and shorter ones of documents. */
const WINDOW_BLOCKS = 8;
const SHORT_WINDOW_BLOCKS = 3;
const LONG_BLOCKS = 12;
/** The number of sections of a long text, and of windows of a harmless one, that are examples. */
const SECTIONS_PER_TEXT = 6;
const WINDOWS_PER_TEXT = 3;
/** The weight of a later section of an attack, which may be harmless by itself. */
const DOUBTFUL_SHARE = 0.5;
/** The number of sentences of a harmless text, and around an instruction, that are examples too. */
const SENTENCES_PER_TEXT = 3;
const SENTENCES_AROUND = 3;
/** A shorter attack is an example as a whole; in a longer one the attacking sentence is unknown. */
const WHOLE_ATTACK_CHARACTERS_MAX = 400;

/** The training examples as arrays. */
export interface Examples {
  readonly features: Int32Array;
  /** By example: the range of its features, its row, and for each class the target and its weight. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly row: Int32Array;
  /** By example: where its non-zero dense features begin; their indexes and values. */
  readonly denseFrom: Int32Array;
  readonly denseIndex: Int32Array;
  readonly denseValue: Float32Array;
  readonly wanted: Uint8Array;
  readonly weight: Float32Array;
  readonly size: number;
}

const ruleIndexes = new Map(SCORED_RULE_NAMES.map((name, at) => [name, at]));

export function buildExamples(rows: readonly Row[], vocabulary: Vocabulary, seed = 3): Examples {
  const exampleStore = new ExampleStore();
  const random = randomFromSeed(seed);
  rows.forEach((row, number) => {
    const trainingTargets = targetsForRow(row);
    if (trainingTargets.length === 0) return;
    // Of a longer text the first piece, as more of it adds nothing.
    const [text = ""] = evaluatedTexts(row);
    decodeAndMatch(text.slice(0, PIECE_CHARACTERS), row.channel)
      .filter(isScorable)
      .forEach((matchedText, at, matchedTexts) => {
        const textBlocks = new TextBlocks(
          exampleStore,
          vocabulary,
          matchedText.text,
          WINDOW_SETTINGS[row.channel].scoresSentences,
        );
        const hits = matchedText.matches.map(
          (ruleMatch, which): RuleHit => ({
            rule: ruleIndexes.get(ruleMatch.rule.name) ?? -1,
            weight: matchWeight(ruleMatch),
            block: textBlocks.blockAt(matchedText.starts[which] ?? 0),
          }),
        );
        const isBad = row.label !== "benign";
        // The cover text of a hidden attack is no attack by itself, so it is no example.
        if (isBad && at === 0 && matchedTexts.length > 1 && row.focus === undefined) return;
        const share = at === 0 ? 1 : isBad ? 0.7 : 0.5;
        const add = (from: number, to: number, factor: number, chosen: readonly TrainingTarget[] = trainingTargets) =>
          exampleStore.add(textBlocks, hits, from, to, number, chosen, factor);
        if (at === 0) addSentences(row, trainingTargets, textBlocks, add, random);
        const { focus } = row;
        if (focus !== undefined && isBad && at === 0) {
          const first = textBlocks.blockAt(focus.start);
          const last = textBlocks.blockAt(focus.end - 1);
          add(first, last + 1, 1);
          add(Math.max(0, first - 1), Math.min(textBlocks.size, last + 2), 1);
          add(0, textBlocks.size, 1);
          const harmless = targetsForRow({ ...row, label: "benign" });
          if (first >= 3) add(Math.max(0, first - WINDOW_BLOCKS), first, 0.5, harmless);
          if (textBlocks.size - last > 3)
            add(last + 1, Math.min(textBlocks.size, last + 1 + WINDOW_BLOCKS), 0.5, harmless);
          return;
        }
        const sections = sampleOf(sectionsOf(textBlocks.size), SECTIONS_PER_TEXT, random);
        for (const { from, to } of sections) {
          const isDoubtful = isBad && from > 0;
          add(from, to, (isDoubtful ? DOUBTFUL_SHARE : 1) * (share / Math.sqrt(sections.length)));
        }
        if (textBlocks.size <= LONG_BLOCKS) return;
        if (!isBad) {
          for (let turn = 0; turn < Math.min(WINDOWS_PER_TEXT, textBlocks.size / LONG_BLOCKS); turn++)
            for (const length of [WINDOW_BLOCKS, SHORT_WINDOW_BLOCKS]) {
              const from = Math.floor(random() * (textBlocks.size - length));
              add(from, from + length, 0.5 * share);
            }
        } else if (row.channel !== "document") {
          add(0, WINDOW_BLOCKS, 0.4 * share);
          add(textBlocks.size - WINDOW_BLOCKS, textBlocks.size, 0.2 * share);
        }
      });
  });
  return exampleStore.examples();
}

interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The sections of a text as in production; of a short text, all of it. */
function sectionsOf(blocks: number): BlockRange[] {
  if (blocks <= SECTION_BLOCKS) return [{ from: 0, to: blocks }];
  const ends = Math.ceil(blocks / SECTION_STRIDE_BLOCKS);
  return Array.from({ length: ends - 1 }, (_, at) => ({
    from: at * SECTION_STRIDE_BLOCKS,
    to: Math.min(blocks, at * SECTION_STRIDE_BLOCKS + SECTION_BLOCKS),
  }));
}

/** Adds sentences as examples, as documents are scored by sentence too. */
function addSentences(
  row: Row,
  trainingTargets: readonly TrainingTarget[],
  textBlocks: TextBlocks,
  add: (from: number, to: number, factor: number, chosen: readonly TrainingTarget[]) => void,
  random: () => number,
): void {
  const ofDocuments = trainingTargets.filter(({ className }) => className === "attack_document");
  if (ofDocuments.length === 0) return;
  const sentences = textBlocks.sentences();
  const addAll = (some: readonly Sentence[], factor: number, chosen: readonly TrainingTarget[]) => {
    for (const { from, to } of some) add(from, to, factor, chosen);
  };
  if (row.label === "benign") {
    const some = sampleOf(sentences, SENTENCES_PER_TEXT, random);
    addAll(some, 1 / Math.sqrt(some.length), ofDocuments);
    return;
  }
  const focus =
    row.focus ?? (row.text.length < WHOLE_ATTACK_CHARACTERS_MAX ? { start: 0, end: row.text.length } : undefined);
  if (focus === undefined) return;
  const inFocus = ({ start, end }: Sentence) =>
    (Math.min(end, focus.end) - Math.max(start, focus.start)) / (end - start);
  addAll(
    sentences.filter((sentence) => inFocus(sentence) > 0.6),
    1,
    ofDocuments,
  );
  const around = sentences.filter((sentence) => inFocus(sentence) < 0.05);
  const harmless = ofDocuments.map((trainingTarget): TrainingTarget => ({ ...trainingTarget, wanted: 0 }));
  addAll(sampleOf(around, SENTENCES_AROUND, random), 0.5, harmless);
}

/** A random sample. */
function sampleOf<T>(all: readonly T[], most: number, random: () => number): T[] {
  const left = [...all];
  const chosen: T[] = [];
  while (chosen.length < most && left.length > 0) chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen;
}

/** A range of blocks and its offsets in the text. */
interface Sentence extends BlockRange {
  readonly start: number;
  readonly end: number;
}

/** The blocks of one text; their features are in the ExampleStore. */
class TextBlocks {
  readonly featuresAt: number[] = [];
  readonly counts: Int32Array[] = [];
  readonly ends: number[] = [];

  constructor(exampleStore: ExampleStore, vocabulary: Vocabulary, text: string, splitsValues: boolean) {
    this.featuresAt.push(exampleStore.featuresSize);
    const scanner = new FeatureScanner(
      vocabulary,
      (features, size, counts, end) => {
        exampleStore.addFeatures(features, size);
        this.featuresAt.push(exampleStore.featuresSize);
        this.counts.push(counts.slice());
        this.ends.push(end);
      },
      splitsValues,
    );
    scanner.read(text);
    scanner.finish();
  }

  get size(): number {
    return this.ends.length;
  }

  /** Splits sentences as in production. */
  sentences(): Sentence[] {
    const sentences: Sentence[] = [];
    let from = 0;
    for (let block = 0; block < this.size; block++) {
      const start = from === 0 ? 0 : (this.ends[from - 1] ?? 0);
      const end = this.ends[block] ?? 0;
      if (
        this.counts[block]?.[BLOCK_COUNTS.sentenceEnds] !== 1 &&
        end - start < SENTENCE_CHARACTERS_MAX &&
        block < this.size - 1
      )
        continue;
      if (end - start >= SENTENCE_CHARACTERS_MIN) sentences.push({ from, to: block + 1, start, end });
      from = block + 1;
    }
    return sentences;
  }

  blockAt(offset: number): number {
    const at = this.ends.findIndex((end) => end > offset);
    return at < 0 ? this.size - 1 : at;
  }
}

class ExampleStore {
  #features = new Int32Array(1 << 20);
  featuresSize = 0;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #row: number[] = [];
  readonly #denseFrom: number[] = [0];
  readonly #denseIndex: number[] = [];
  readonly #denseValue: number[] = [];
  readonly #wanted: Uint8Array[] = [];
  readonly #weight: Float32Array[] = [];

  addFeatures(features: Int32Array, size: number): void {
    if (this.featuresSize + size > this.#features.length) {
      const larger = new Int32Array(2 * this.#features.length);
      larger.set(this.#features);
      this.#features = larger;
    }
    this.#features.set(features.subarray(0, size), this.featuresSize);
    this.featuresSize += size;
  }

  add(
    textBlocks: TextBlocks,
    hits: readonly RuleHit[],
    from: number,
    to: number,
    row: number,
    trainingTargets: readonly TrainingTarget[],
    factor: number,
  ): void {
    const start = textBlocks.featuresAt[from] ?? 0;
    const end = textBlocks.featuresAt[to] ?? 0;
    if (end === start) return;
    const counts = new Int32Array(BLOCK_COUNTS_SIZE);
    for (let block = from; block < to; block++) {
      const blockCounts = textBlocks.counts[block];
      if (blockCounts !== undefined)
        for (let at = 0; at < BLOCK_COUNTS_SIZE; at++) counts[at] = (counts[at] ?? 0) + (blockCounts[at] ?? 0);
    }
    const denseFeatures = new DenseFeatures(SCORED_RULE_NAMES.length);
    denseFeatures.fromCounts(counts);
    if (hits.length > 0) denseFeatures.addRules(hits, from, to);
    const wanted = new Uint8Array(CLASSES.length);
    const weight = new Float32Array(CLASSES.length);
    for (const trainingTarget of trainingTargets) {
      const at = classIndex(trainingTarget.className);
      wanted[at] = trainingTarget.wanted;
      weight[at] = trainingTarget.weight * factor;
    }
    this.#from.push(start);
    this.#to.push(end);
    this.#row.push(row);
    const { indexes, values, size } = denseFeatures;
    for (let at = 0; at < size; at++) {
      this.#denseIndex.push(indexes[at] ?? 0);
      this.#denseValue.push(values[at] ?? 0);
    }
    this.#denseFrom.push(this.#denseIndex.length);
    this.#wanted.push(wanted);
    this.#weight.push(weight);
  }

  examples(): Examples {
    const size = this.#from.length;
    const wanted = new Uint8Array(size * CLASSES.length);
    const weight = new Float32Array(size * CLASSES.length);
    for (let at = 0; at < size; at++) {
      wanted.set(this.#wanted[at] ?? [], at * CLASSES.length);
      weight.set(this.#weight[at] ?? [], at * CLASSES.length);
    }
    return {
      features: this.#features.slice(0, this.featuresSize),
      from: Int32Array.from(this.#from),
      to: Int32Array.from(this.#to),
      row: Int32Array.from(this.#row),
      denseFrom: Int32Array.from(this.#denseFrom),
      denseIndex: Int32Array.from(this.#denseIndex),
      denseValue: Float32Array.from(this.#denseValue),
      wanted,
      weight,
      size,
    };
  }
}
