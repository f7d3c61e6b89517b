import type { SafetyCategory } from "@trunkline/core/safety-category.ts";
import { noScores } from "../policy/verdict-tally.ts";
import { calibrated } from "./calibration.ts";
import { WordScanner } from "./feature-scanner.ts";
import { HEADS, headAt } from "./heads.ts";
import type { SafetyModel } from "./safety-model.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** How much of an answer is weighed at a time. */
export const WINDOW_CHARACTERS = 400;

/** Below this nobody acts on a score. */
const NOTABLE = 0.2;

/** What a text is moderated for. */
export const MODERATED = [
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
] as const satisfies readonly SafetyCategory[];
type Moderated = (typeof MODERATED)[number];

/**
 * Moderates a text while it grows: a window slides over it, block by block, and the worst view so far counts. What it
 * says depends on the words alone and not on the pieces in which they arrive. A block is about a line, 56 characters at
 * the most, and counts once it is whole; `end` counts what is left.
 */
export class GrowingText {
  readonly #model: SafetyModel;
  readonly #window = new SlidingWindow(WINDOW_CHARACTERS);
  readonly #scanner: WordScanner;
  readonly #scores = noScores();
  readonly #places = new Map<SafetyCategory, { readonly start: number; readonly end: number }>();
  readonly #raw = new Float64Array(HEADS.length);
  #worst = Number.NEGATIVE_INFINITY;
  #judged = 0;
  #rises = 0;

  constructor(model: SafetyModel) {
    this.#model = model;
    this.#scanner = new WordScanner(model.weights, (marks, size, counts, end) => {
      this.#window.push(model.table, marks, size, counts, end);
      this.#judged = end;
      this.#weigh();
    });
  }

  /** Forgets what was added, for the next text. */
  clear(): void {
    this.#window.clear();
    this.#scanner.start();
    Object.assign(this.#scores, noScores());
    this.#places.clear();
    this.#worst = Number.NEGATIVE_INFINITY;
    this.#judged = 0;
    this.#rises = 0;
  }

  add(text: string): void {
    this.#scanner.read(text);
  }

  /** No more will come. */
  end(): void {
    this.#scanner.finish();
  }

  /** Up to where in the text the scores speak. */
  get judged(): number {
    return this.#judged;
  }

  /** How often a score rose: while this stays the same, all of them do. */
  get rises(): number {
    return this.#rises;
  }

  /** The worst so far, calibrated; categories that are not moderated stay at 0. */
  scores(): Readonly<Record<SafetyCategory, number>> {
    return this.#scores;
  }

  /** Where the window stood when a category was at its worst, as offsets into all that was added. */
  placeOf(category: SafetyCategory): { readonly start: number; readonly end: number } | undefined {
    return this.#places.get(category);
  }

  #weigh(): void {
    const { start, end, passage } = this.#window;
    this.#model.look(passage);
    const worst = this.#model.raw(MODERATION);
    // No kind scores higher than all of them together: where that is little and was more before, nothing can be new.
    if (worst <= this.#worst && calibrated(this.#model.weights.calibrations.moderation, worst) < NOTABLE)
      return;
    this.#worst = Math.max(this.#worst, worst);
    this.#raw[MODERATION] = worst;
    for (const [, head] of HEAD_OF) this.#raw[head] = this.#model.raw(head);
    tellModeration(this.#model, this.#raw[MODERATION] ?? 0, this.#raw, (category, score) => {
      if (score <= this.#scores[category]) return;
      this.#rises++;
      this.#scores[category] = score;
      this.#places.set(category, { start, end });
    });
  }
}

const MODERATION = headAt("moderation");
const HEAD_OF: ReadonlyArray<readonly [Moderated, number]> = MODERATED.map((category) => [
  category,
  headAt(category),
]);
/** Nobody trains on the sexual abuse of children, so that the model knows too little of it to accuse anyone: rules do that. */
const MINORS_MOST = 0.19;

/**
 * Tells the moderated categories from raw scores. How bad it is, one head says; which kind of bad, the others: the
 * likeliest kind gets the whole score, and others less the less likely they are beside it. Gives back the likeliest's raw score.
 */
export function tellModeration(
  model: SafetyModel,
  worst: number,
  raw: Float64Array,
  tell: (category: Moderated, score: number) => void,
): number {
  const any = calibrated(model.weights.calibrations.moderation, worst);
  let likeliest = Number.NEGATIVE_INFINITY;
  for (const [, head] of HEAD_OF) likeliest = Math.max(likeliest, raw[head] ?? 0);
  for (const [category, head] of HEAD_OF) {
    const share = category === "sexual_minors" ? MINORS_MOST : 1;
    tell(category, share * any * Math.exp((raw[head] ?? 0) - likeliest));
  }
  return likeliest;
}
