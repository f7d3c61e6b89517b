import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { findDecodedTexts } from "../decode/decoded-texts.ts";
import type { Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { clearScores, zeroScores } from "../policy/scores.ts";
import { PrivateDataStreamDetector } from "../private-data/private-data-stream-detector.ts";
import { ANSWER_RULES } from "../rules/answer-rules.ts";
import { HATE_RULES } from "../rules/hate-rules.ts";
import { matchAnswerRules } from "../rules/rule-detector.ts";
import { AnswerRuleIndex, RuleStreamDetector } from "../rules/rule-stream-detector.ts";
import type { StreamBuffer } from "../stream-buffer.ts";
import type { TextRange } from "../text-range.ts";
import { applyCalibration, CLASSES, classIndex } from "./classes.ts";
import { FeatureScanner } from "./feature-scanner.ts";
import type { SafetyModel } from "./safety-model.ts";
import { type Passage, SlidingWindow } from "./sliding-window.ts";

/** Lower scores of decoded text lead to no action. */
const HIDDEN_SCORE_MIN = 0.2;

/** The answer rules, with a score for what is decoded from a text. */
export function createAnswerRuleIndex(model: SafetyModel): AnswerRuleIndex {
  const moderator = new IncrementalModerator(model);
  return new AnswerRuleIndex([...ANSWER_RULES, ...HATE_RULES], (text, isHidden) =>
    detectInText(moderator, text, isHidden),
  );
}

/** Creates the detectors that examine one answer while it grows: rules, private data and the trained model. */
export function createStreamDetectors(model: SafetyModel, rules: AnswerRuleIndex): readonly StreamDetector[] {
  return [new RuleStreamDetector(rules), new PrivateDataStreamDetector(), new ModerationStreamDetector(model)];
}

/**
 * Matches rules in a range, and scores what is decoded from it. ModerationStreamDetector scores the plain text itself.
 */
function detectInText(moderator: IncrementalModerator, text: string, isHidden: boolean): StreamDetection {
  const decodedTexts = findDecodedTexts(text);
  const { findings, normalised } = matchAnswerRules(decodedTexts, isHidden);
  const found = [...findings];
  const undone = new Set(normalised);
  decodedTexts.forEach((decodedText, at) => {
    if (at === 0 && decodedText.undone.length === 0) return;
    moderator.reset();
    moderator.add(decodedText.text);
    moderator.end();
    for (const category of MODERATED_CATEGORIES) {
      const range = moderator.worstSpan(category);
      const score = moderator.scores()[category];
      if (range === undefined || score < HIDDEN_SCORE_MIN) continue;
      found.push({ category, score, ...decodedText.placeOf(range.start, range.end) });
      for (const disguise of decodedText.undone) undone.add(disguise);
    }
  });
  return { findings: found, normalised: [...undone] };
}

/** Lower scores lead to no action, and are reported at the end only. */
const REPORTED_SCORE_MIN = 0.05;

/** Moderates an answer while it grows, using the trained model. Reports a category again when its score rises. */
export class ModerationStreamDetector implements StreamDetector {
  readonly #moderator: IncrementalModerator;
  readonly #reportedScores = zeroScores();
  readonly #ranges = new Map<SafetyCategory, TextRange>();
  #read = 0;
  #scoredTo = 0;
  #rises = 0;

  constructor(model: SafetyModel) {
    this.#moderator = new IncrementalModerator(model);
  }

  get decidedTo(): number {
    return this.#scoredTo;
  }

  get clearTo(): number {
    return this.#moderator.isHarmlessSoFar() ? this.#read : 0;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    this.#moderator.add(streamBuffer.slice(this.#read, to));
    this.#read = to;
    if (isLast) this.#moderator.end();
    if (this.#moderator.scoredTo === this.#scoredTo && !isLast) return undefined;
    this.#scoredTo = this.#moderator.scoredTo;
    // A score that did not rise was reported already, or is reported at the end.
    if (this.#moderator.rises === this.#rises && !isLast) return undefined;
    this.#rises = this.#moderator.rises;
    const findings = this.#increasedFindings(isLast ? 0 : REPORTED_SCORE_MIN);
    return findings.length === 0 ? undefined : { findings, normalised: [] };
  }

  #increasedFindings(least: number): Finding[] {
    const scores = this.#moderator.scores();
    const findings: Finding[] = [];
    for (const category of SAFETY_CATEGORIES) {
      const score = scores[category];
      const range = this.#moderator.worstSpan(category);
      if (range === undefined || score < least || score <= this.#reportedScores[category]) continue;
      this.#reportedScores[category] = score;
      findings.push({ category, score, ...this.#mergedSpan(category, range) });
    }
    return findings;
  }

  /** The window slides: if it still overlaps the range that was reported before, that range has grown. */
  #mergedSpan(category: SafetyCategory, range: TextRange) {
    const before = this.#ranges.get(category);
    const start = before !== undefined && before.end > range.start ? before.start : range.start;
    const joined = { start, end: range.end };
    this.#ranges.set(category, joined);
    return joined;
  }
}

/** The number of characters scored at once. */
const MODERATION_WINDOW_CHARACTERS = 400;

/** Lower scores lead to no action. */
const NOTABLE_SCORE = 0.2;

/** Words of an answer that score lower leave at once. */
const HARMLESS_SCORE = 0.3;

/** The categories that answers are moderated for. */
export const MODERATED_CATEGORIES = [
  "hate",
  "harassment",
  "sexual",
  "sexual_minors",
  "violence",
  "self_harm",
] as const satisfies readonly SafetyCategory[];

/**
 * Moderates a text while it grows. A window slides over it block by block, and the worst score so far counts. The
 * result depends on the text alone, not on the chunks in which it arrives. A block is about a line, at most 56
 * characters, and counts once it is complete; `end` adds what is left.
 */
export class IncrementalModerator {
  readonly #model: SafetyModel;
  readonly #window = new SlidingWindow(MODERATION_WINDOW_CHARACTERS);
  readonly #scanner: FeatureScanner;
  readonly #scores = zeroScores();
  /** By moderated category: where the window began and ended in which it scored highest. */
  readonly #starts = new Int32Array(MODERATED_CATEGORIES.length);
  readonly #ends = new Int32Array(MODERATED_CATEGORIES.length);
  #worst = Number.NEGATIVE_INFINITY;
  #scoredTo = 0;
  #rises = 0;

  constructor(model: SafetyModel) {
    this.#model = model;
    this.#scanner = new FeatureScanner(
      model.weights,
      (features, size, counts, end, summedFeatures) => {
        this.#window.push(model.table, features, size, counts, end, summedFeatures);
        this.#scoredTo = end;
        this.#scoreWindow();
      },
      false,
      model.wordSums,
    );
  }

  /** Starts a new text. */
  reset(): void {
    this.#window.clear();
    this.#scanner.reset();
    clearScores(this.#scores);
    this.#ends.fill(0);
    this.#worst = Number.NEGATIVE_INFINITY;
    this.#scoredTo = 0;
    this.#rises = 0;
  }

  add(text: string): void {
    this.#scanner.read(text);
  }

  end(): void {
    this.#scanner.finish();
  }

  /** The offset up to which the scores hold. */
  get scoredTo(): number {
    return this.#scoredTo;
  }

  /** The number of times a score rose. While it stays the same, so do all scores. */
  get rises(): number {
    return this.#rises;
  }

  /** The highest raw score so far, of any kind of harm. */
  get worstRawScore(): number {
    return this.#worst;
  }

  /** The highest calibrated scores so far. Categories that are not moderated stay at 0. */
  scores(): Readonly<Record<SafetyCategory, number>> {
    return this.#scores;
  }

  /** Whether the newest window is harmless, with the block that is not complete yet. */
  isHarmlessSoFar(): boolean {
    const model = this.#model;
    let passage: Passage | undefined;
    this.#scanner.showUnfinished((features, size, counts, _end, summedFeatures) => {
      passage = this.#window.passageWith(model.table, features, size, counts, summedFeatures);
    });
    model.prepare(passage ?? this.#window.passage());
    return applyCalibration(model.weights.calibrations.moderation, model.rawScore(MODERATION_CLASS)) < HARMLESS_SCORE;
  }

  /** The window in which a category scored highest, as offsets into the whole text. */
  worstSpan(category: SafetyCategory): TextRange | undefined {
    const at = CATEGORY_NAMES.indexOf(category);
    const end = this.#ends[at] ?? 0;
    return end === 0 ? undefined : { start: this.#starts[at] ?? 0, end };
  }

  #scoreWindow(): void {
    const { start, end } = this.#window;
    this.#model.prepare(this.#window.passage());
    const worst = this.#model.rawScore(MODERATION_CLASS);
    // No category scores higher than the moderation class. If that is low and was higher before, nothing can have
    // risen.
    if (worst <= this.#worst && applyCalibration(this.#model.weights.calibrations.moderation, worst) < NOTABLE_SCORE)
      return;
    this.#worst = Math.max(this.#worst, worst);
    rawScores[MODERATION_CLASS] = worst;
    for (const classId of CATEGORY_CLASSES) rawScores[classId] = this.#model.rawScore(classId);
    const { scores } = scoreModeration(this.#model, rawScores[MODERATION_CLASS] ?? 0, rawScores);
    for (let at = 0; at < scores.length; at++) {
      const category = MODERATED_CATEGORIES[at];
      const score = scores[at] ?? 0;
      if (category === undefined || score <= this.#scores[category]) continue;
      this.#rises++;
      this.#scores[category] = score;
      this.#starts[at] = start;
      this.#ends[at] = end;
    }
  }
}

/** The raw scores of the window that is scored now. */
const rawScores = new Float64Array(CLASSES.length);
const MODERATION_CLASS = classIndex("moderation");
const CATEGORY_NAMES: readonly SafetyCategory[] = MODERATED_CATEGORIES;
const CATEGORY_CLASSES = Int32Array.from(MODERATED_CATEGORIES, classIndex);
const SEXUAL_MINORS_AT = MODERATED_CATEGORIES.indexOf("sexual_minors");
/**
 * There are no training texts about the sexual abuse of children, so the model alone must not accuse anyone: rules do.
 */
const SEXUAL_MINORS_SCORE_MAX = 0.19;

/** The scores of the moderated categories, in their order, and the raw score of the likeliest. */
export interface ModerationScores {
  readonly scores: Float64Array;
  likeliest: number;
}

const moderationScores: ModerationScores = {
  scores: new Float64Array(MODERATED_CATEGORIES.length),
  likeliest: Number.NEGATIVE_INFINITY,
};

/**
 * Derives the scores of the moderated categories from raw scores. The moderation class gives the severity, the classes
 * of the categories give the kind: the likeliest category gets the full score, and the others less. The returned object
 * is reused.
 */
export function scoreModeration(model: SafetyModel, worst: number, raw: Float64Array): ModerationScores {
  const any = applyCalibration(model.weights.calibrations.moderation, worst);
  const { scores } = moderationScores;
  let likeliest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < scores.length; at++) likeliest = Math.max(likeliest, raw[CATEGORY_CLASSES[at] ?? 0] ?? 0);
  for (let at = 0; at < scores.length; at++) {
    const share = at === SEXUAL_MINORS_AT ? SEXUAL_MINORS_SCORE_MAX : 1;
    scores[at] = share * any * Math.exp((raw[CATEGORY_CLASSES[at] ?? 0] ?? 0) - likeliest);
  }
  moderationScores.likeliest = likeliest;
  return moderationScores;
}
