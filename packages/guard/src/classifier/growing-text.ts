import type { SafetyCategory } from "@trunkline/core/safety-category.ts";
import { zeroScores } from "../policy/verdict-tally.ts";
import { applyCalibration } from "./calibration.ts";
import { FeatureScanner } from "./feature-scanner.ts";
import { CLASSES, classIndex } from "./heads.ts";
import type { SafetyModel } from "./safety-model.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** How much of an answer is weighed at a time. */
export const MODERATION_WINDOW_CHARACTERS = 400;

/** Below this nobody acts on a score. */
const NOTABLE_SCORE = 0.2;

/** What a text is moderated for. */
export const MODERATED_CATEGORIES = [
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
] as const satisfies readonly SafetyCategory[];
type ModeratedCategory = (typeof MODERATED_CATEGORIES)[number];

/**
 * Moderates a text while it grows: a window slides over it, block by block, and the worst view so far counts. What it
 * says depends on the words alone and not on the pieces in which they arrive. A block is about a line, 56 characters at
 * the most, and counts once it is whole; `end` counts what is left.
 */
export class IncrementalModerator {
  readonly #model: SafetyModel;
  readonly #window = new SlidingWindow(MODERATION_WINDOW_CHARACTERS);
  readonly #scanner: FeatureScanner;
  readonly #scores = zeroScores();
  readonly #places = new Map<SafetyCategory, { readonly start: number; readonly end: number }>();
  readonly #raw = new Float64Array(CLASSES.length);
  #worst = Number.NEGATIVE_INFINITY;
  #judged = 0;
  #rises = 0;

  constructor(model: SafetyModel) {
    this.#model = model;
    this.#scanner = new FeatureScanner(model.weights, (marks, size, counts, end) => {
      this.#window.push(model.table, marks, size, counts, end);
      this.#judged = end;
      this.#scoreWindow();
    });
  }

  /** Forgets what was added, for the next text. */
  reset(): void {
    this.#window.clear();
    this.#scanner.reset();
    Object.assign(this.#scores, zeroScores());
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
  worstSpan(category: SafetyCategory): { readonly start: number; readonly end: number } | undefined {
    return this.#places.get(category);
  }

  #scoreWindow(): void {
    const { start, end, passage } = this.#window;
    this.#model.prepare(passage);
    const worst = this.#model.rawScore(MODERATION_CLASS);
    // No kind scores higher than all of them together: where that is little and was more before, nothing can be new.
    if (
      worst <= this.#worst &&
      applyCalibration(this.#model.weights.calibrations.moderation, worst) < NOTABLE_SCORE
    )
      return;
    this.#worst = Math.max(this.#worst, worst);
    this.#raw[MODERATION_CLASS] = worst;
    for (const [, head] of CATEGORY_CLASSES) this.#raw[head] = this.#model.rawScore(head);
    scoreModeration(this.#model, this.#raw[MODERATION_CLASS] ?? 0, this.#raw, (category, score) => {
      if (score <= this.#scores[category]) return;
      this.#rises++;
      this.#scores[category] = score;
      this.#places.set(category, { start, end });
    });
  }
}

const MODERATION_CLASS = classIndex("moderation");
const CATEGORY_CLASSES: ReadonlyArray<readonly [ModeratedCategory, number]> = MODERATED_CATEGORIES.map(
  (category) => [category, classIndex(category)],
);
/** Nobody trains on the sexual abuse of children, so that the model knows too little of it to accuse anyone: rules do that. */
const SEXUAL_MINORS_SCORE_MAX = 0.19;

/**
 * Tells the moderated categories from raw scores. How bad it is, one head says; which kind of bad, the others: the
 * likeliest kind gets the whole score, and others less the less likely they are beside it. Gives back the likeliest's raw score.
 */
export function scoreModeration(
  model: SafetyModel,
  worst: number,
  raw: Float64Array,
  tell: (category: ModeratedCategory, score: number) => void,
): number {
  const any = applyCalibration(model.weights.calibrations.moderation, worst);
  let likeliest = Number.NEGATIVE_INFINITY;
  for (const [, head] of CATEGORY_CLASSES) likeliest = Math.max(likeliest, raw[head] ?? 0);
  for (const [category, head] of CATEGORY_CLASSES) {
    const share = category === "sexual_minors" ? SEXUAL_MINORS_SCORE_MAX : 1;
    tell(category, share * any * Math.exp((raw[head] ?? 0) - likeliest));
  }
  return likeliest;
}
