import type { Channel } from "@trunkline/core/verdict.ts";
import { COUNTS } from "./block-counts.ts";
import { WordScanner } from "./feature-scanner.ts";
import type { RuleHit } from "./figures.ts";
import { HEADS, headAt } from "./heads.ts";
import { Passage } from "./passage.ts";
import { type Reading, weightOf } from "./readings.ts";
import type { SafetyModel } from "./safety-model.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** What is weighed of a reading. */
export type Weighable = Pick<Reading, "text" | "matches" | "starts">;

/** How a channel's texts are gone through. */
export interface View {
  /** Characters of a window. */
  readonly window: number;
  /** After how many blocks it is looked at again. */
  readonly stride: number;
  /** The heads that are asked about each window. */
  readonly heads: readonly number[];
  /** Whether they are asked about each sentence as well, which counts beside the worst window. */
  readonly bySentence: boolean;
}

const [ATTACK_USER, ATTACK_DOCUMENT, UNSAFE, MODERATION] = [
  headAt("attack_user"),
  headAt("attack_document"),
  headAt("unsafe"),
  headAt("moderation"),
];

export const VIEWS: Readonly<Record<Channel, View>> = {
  user: { window: 170, stride: 2, heads: [ATTACK_USER, UNSAFE, MODERATION], bySentence: false },
  document: { window: 170, stride: 1, heads: [ATTACK_DOCUMENT], bySentence: true },
  output: { window: 400, stride: 1, heads: [MODERATION], bySentence: false },
};

/** A sentence that is longer than this counts as two; one that is shorter is none. */
export const SENTENCE_MOST = 170;
export const SENTENCE_LEAST = 20;
/** So much of two counts what stands around the worst sentence; the rest is its own. */
const SHARE_AROUND = 0.67;

/**
 * What the model makes of a text, head by head: of all of it, and of the worst window where it is longer than one. Where
 * sentences are asked about, of the worst window or of all of it together with the worst sentence, whose place is named.
 */
export interface Weighed {
  readonly whole: Float64Array;
  readonly worst: Float64Array;
  /** Where the worst window or sentence of each head that is asked stands in the scanned text: all of it where there is but one. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  windows: number;
  length: number;
}

/** Goes through a text once: block by block, window by window, and then looks at all of it. What it gives back is its own and changes with the next text. */
export class TextWeigher {
  readonly #model: SafetyModel;
  readonly #view: View;
  readonly #window: SlidingWindow;
  readonly #whole = new Passage();
  readonly #scanner: WordScanner;
  readonly #hits: RuleHit[] = [];
  #reading: Weighable | undefined;
  #sinceLook = 0;
  readonly #sentence = new Passage();
  readonly #worstSentence = new Float64Array(HEADS.length);
  /** The first block of the sentence, and where in the text that begins. */
  #sentenceFrom = 0;
  #sentenceStart = 0;
  readonly #weighed: Weighed = {
    whole: new Float64Array(HEADS.length),
    worst: new Float64Array(HEADS.length),
    starts: new Int32Array(HEADS.length),
    ends: new Int32Array(HEADS.length),
    windows: 0,
    length: 0,
  };

  constructor(model: SafetyModel, view: View) {
    this.#model = model;
    this.#view = view;
    this.#window = new SlidingWindow(view.window);
    this.#scanner = new WordScanner(
      model.weights,
      (marks, size, counts, end) => {
        this.#hitsUntil(end, this.#window.to);
        // The first window is looked at before the block that pushes its first one out: attacks like to come first.
        if (!this.#window.isFull && this.#window.wouldLose(counts)) this.#lookAtWindow();
        const sentence = view.bySentence ? this.#sentence : undefined;
        this.#window.push(model.table, marks, size, counts, end, this.#whole, sentence);
        this.#weighed.length = end;
        if (view.bySentence && (counts[COUNTS.ends] === 1 || this.#sentence.characters >= SENTENCE_MOST))
          this.#lookAtSentence();
        if (this.#window.isFull && ++this.#sinceLook >= view.stride) this.#lookAtWindow();
      },
      view.bySentence,
    );
  }

  weigh(reading: Weighable): Weighed {
    const weighed = this.#weighed;
    this.#reading = reading;
    this.#hits.length = 0;
    this.#sinceLook = 0;
    this.#window.clear();
    this.#whole.clear();
    weighed.length = 0;
    this.#startSentence();
    this.#worstSentence.fill(Number.NEGATIVE_INFINITY);
    weighed.windows = 0;
    weighed.worst.fill(Number.NEGATIVE_INFINITY);
    weighed.starts.fill(0);
    weighed.ends.fill(0);
    this.#scanner.start();
    this.#scanner.read(reading.text);
    this.#scanner.finish();
    if (this.#window.isFull && this.#sinceLook > 0) this.#lookAtWindow();
    this.#model.look(this.#whole, this.#hits, 0, this.#window.to);
    for (let head = 0; head < HEADS.length; head++) weighed.whole[head] = this.#model.raw(head);
    if (this.#view.bySentence) this.#addSentences();
    for (const head of this.#view.heads) if (weighed.ends[head] === 0) weighed.ends[head] = weighed.length;
    return weighed;
  }

  #addSentences(): void {
    this.#lookAtSentence();
    const { whole, worst, windows } = this.#weighed;
    for (const head of this.#view.heads) {
      const around = (windows > 0 ? worst : whole)[head] ?? 0;
      const alone = this.#worstSentence[head] ?? 0;
      worst[head] =
        SHARE_AROUND * around + (2 - SHARE_AROUND) * (alone === Number.NEGATIVE_INFINITY ? around : alone);
    }
  }

  /** The rules' finds up to here belong to the blocks up to this one. */
  #hitsUntil(end: number, block: number): void {
    const { matches, starts } = this.#reading ?? { matches: [], starts: [] };
    matches.forEach((match, at) => {
      const start = starts[at] ?? 0;
      if (start >= this.#weighed.length && start < end)
        this.#hits.push({ rule: this.#model.ruleAt(match.rule.name), weight: weightOf(match), block });
    });
  }

  #startSentence(): void {
    this.#sentence.clear();
    this.#sentenceFrom = this.#window.to;
    this.#sentenceStart = this.#weighed.length;
  }

  #lookAtSentence(): void {
    const { starts, ends, length } = this.#weighed;
    if (this.#sentence.characters >= SENTENCE_LEAST) {
      this.#model.look(this.#sentence, this.#hits, this.#sentenceFrom, this.#window.to);
      for (const head of this.#view.heads) {
        const raw = this.#model.raw(head);
        if (raw <= (this.#worstSentence[head] ?? 0)) continue;
        this.#worstSentence[head] = raw;
        starts[head] = this.#sentenceStart;
        ends[head] = length;
      }
    }
    this.#startSentence();
  }

  #lookAtWindow(): void {
    const { worst, starts, ends } = this.#weighed;
    this.#sinceLook = 0;
    this.#weighed.windows++;
    const { passage, from, to, start, end } = this.#window;
    this.#model.look(passage, this.#hits, from, to);
    for (const head of this.#view.heads) {
      const raw = this.#model.raw(head);
      if (raw <= (worst[head] ?? 0)) continue;
      worst[head] = raw;
      if (this.#view.bySentence) continue;
      starts[head] = start;
      ends[head] = end;
    }
  }
}
