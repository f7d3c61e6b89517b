import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-category.ts";
import type { Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { zeroScores } from "../policy/verdict-tally.ts";
import type { StreamBuffer } from "../tail.ts";
import { IncrementalModerator } from "./growing-text.ts";
import type { SafetyModel } from "./safety-model.ts";

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
