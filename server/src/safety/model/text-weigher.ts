import type { Channel } from "../../domain/verdict.ts";
import type { RuleHit } from "./figures.ts";
import { HEADS, headAt } from "./heads.ts";
import { Passage } from "./passage.ts";
import { type Reading, weightOf } from "./readings.ts";
import type { SafetyModel } from "./safety-model.ts";
import { SlidingWindow } from "./sliding-window.ts";
import { WordScanner } from "./word-scanner.ts";

/** How a channel's texts are gone through. */
export interface View {
  /** Characters of a window. */
  readonly window: number;
  /** After how many blocks it is looked at again. */
  readonly stride: number;
  /** The heads that are asked about each window. */
  readonly heads: readonly number[];
}

const [ATTACK_USER, ATTACK_DOCUMENT, UNSAFE, MODERATION] = [
  headAt("attack_user"),
  headAt("attack_document"),
  headAt("unsafe"),
  headAt("moderation"),
];

export const VIEWS: Readonly<Record<Channel, View>> = {
  user: { window: 170, stride: 2, heads: [ATTACK_USER, UNSAFE, MODERATION] },
  document: { window: 170, stride: 1, heads: [ATTACK_DOCUMENT] },
  output: { window: 400, stride: 1, heads: [MODERATION] },
};

/** What the model makes of a text, head by head: of all of it, and of the worst window where it is longer than one. */
export interface Weighed {
  readonly whole: Float64Array;
  readonly worst: Float64Array;
  /** Where the worst window of each head stands in the scanned text. */
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
  #reading: Reading | undefined;
  #sinceLook = 0;
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
    this.#scanner = new WordScanner(model.weights, (marks, size, counts, end) => {
      this.#hitsUntil(end, this.#window.to);
      // The first window is looked at before the block that pushes its first one out: attacks like to come first.
      if (!this.#window.isFull && this.#window.wouldLose(counts)) this.#lookAtWindow();
      this.#window.push(model.table, marks, size, counts, end, this.#whole);
      this.#weighed.length = end;
      if (this.#window.isFull && ++this.#sinceLook >= view.stride) this.#lookAtWindow();
    });
  }

  weigh(reading: Reading): Weighed {
    const weighed = this.#weighed;
    this.#reading = reading;
    this.#hits.length = 0;
    this.#sinceLook = 0;
    this.#window.clear();
    this.#whole.clear();
    weighed.windows = 0;
    weighed.length = 0;
    weighed.worst.fill(Number.NEGATIVE_INFINITY);
    this.#scanner.start();
    this.#scanner.read(reading.text);
    this.#scanner.finish();
    if (this.#window.isFull && this.#sinceLook > 0) this.#lookAtWindow();
    this.#model.look(this.#whole, this.#hits, 0, this.#window.to);
    for (let head = 0; head < HEADS.length; head++) weighed.whole[head] = this.#model.raw(head);
    return weighed;
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
      starts[head] = start;
      ends[head] = end;
    }
  }
}
