import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { findDecodedTexts } from "../decode/decoded-texts.ts";
import type { Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { zeroScores } from "../policy/verdict-tally.ts";
import { PrivateDataStreamDetector } from "../private-data/private-data-stream-detector.ts";
import { ANSWER_RULES } from "../rules/answer-rules.ts";
import { HATE_RULES } from "../rules/hate-rules.ts";
import { matchAnswerRules } from "../rules/rule-detector.ts";
import { AnswerRuleIndex, RuleStreamDetector } from "../rules/rule-stream-detector.ts";
import type { StreamBuffer } from "../stream-buffer.ts";
import { applyCalibration, CLASSES, classIndex } from "./classes.ts";
import { FeatureScanner } from "./feature-scanner.ts";
import type { SafetyModel } from "./safety-model.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** Below this nobody acts on what is hidden. */
const HIDDEN_SCORE_MIN = 0.2;

/** Those who together read an answer while it grows: the rules, whoever looks for values, and the trained model. */
export function streamDetectorFactory(model: SafetyModel): () => readonly StreamDetector[] {
  const growing = new IncrementalModerator(model);
  const rules = new AnswerRuleIndex([...ANSWER_RULES, ...HATE_RULES], (text, isHidden) =>
    detectInStretch(growing, text, isHidden),
  );
  return () => [new RuleStreamDetector(rules), new PrivateDataStreamDetector(), new ModerationStreamDetector(model)];
}

/** What rules find in a stretch, and what the model makes of what is hidden in it: the plain words it follows itself. */
function detectInStretch(growing: IncrementalModerator, text: string, isHidden: boolean): StreamDetection {
  const decodedTexts = findDecodedTexts(text);
  const { findings, normalised } = matchAnswerRules(decodedTexts, isHidden);
  const found = [...findings];
  const undone = new Set(normalised);
  decodedTexts.forEach((decodedText, at) => {
    if (at === 0 && decodedText.undone.length === 0) return;
    growing.reset();
    growing.add(decodedText.text);
    growing.end();
    for (const category of MODERATED_CATEGORIES) {
      const place = growing.worstSpan(category);
      const score = growing.scores()[category];
      if (place === undefined || score < HIDDEN_SCORE_MIN) continue;
      found.push({ category, score, ...decodedText.placeOf(place.start, place.end) });
      for (const disguise of decodedText.undone) undone.add(disguise);
    }
  });
  return { findings: found, normalised: [...undone] };
}

/** Below this nobody acts on a score, and nothing is told of it before the end. */
const REPORTED_SCORE_MIN = 0.05;

/** Moderates an answer while it grows, by the trained model. Tells each category again as it gets worse. */
export class ModerationStreamDetector implements StreamDetector {
  readonly #growing: IncrementalModerator;
  readonly #reportedScores = zeroScores();
  readonly #places = new Map<SafetyCategory, { readonly start: number; readonly end: number }>();
  #read = 0;
  #judged = 0;
  #rises = 0;

  constructor(model: SafetyModel) {
    this.#growing = new IncrementalModerator(model);
  }

  get decidedTo(): number {
    return this.#judged;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    this.#growing.add(streamBuffer.slice(this.#read, to));
    this.#read = to;
    if (isLast) this.#growing.end();
    if (this.#growing.judged === this.#judged && !isLast) return undefined;
    this.#judged = this.#growing.judged;
    // What did not rise was told, or is told at the end.
    if (this.#growing.rises === this.#rises && !isLast) return undefined;
    this.#rises = this.#growing.rises;
    const findings = this.#increasedFindings(isLast ? 0 : REPORTED_SCORE_MIN);
    return findings.length === 0 ? undefined : { findings, normalised: [] };
  }

  #increasedFindings(least: number): Finding[] {
    const scores = this.#growing.scores();
    const findings: Finding[] = [];
    for (const category of SAFETY_CATEGORIES) {
      const score = scores[category];
      const place = this.#growing.worstSpan(category);
      if (place === undefined || score < least || score <= this.#reportedScores[category]) continue;
      this.#reportedScores[category] = score;
      findings.push({ category, score, ...this.#mergedSpan(category, place) });
    }
    return findings;
  }

  /** The window slides: where it still reads what was told before, that place has only grown. */
  #mergedSpan(category: SafetyCategory, place: { readonly start: number; readonly end: number }) {
    const before = this.#places.get(category);
    const start = before !== undefined && before.end > place.start ? before.start : place.start;
    const joined = { start, end: place.end };
    this.#places.set(category, joined);
    return joined;
  }
}

/** How much of an answer is weighed at a time. */
const MODERATION_WINDOW_CHARACTERS = 400;

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
    if (worst <= this.#worst && applyCalibration(this.#model.weights.calibrations.moderation, worst) < NOTABLE_SCORE)
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
const CATEGORY_CLASSES: ReadonlyArray<readonly [ModeratedCategory, number]> = MODERATED_CATEGORIES.map((category) => [
  category,
  classIndex(category),
]);
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
