import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-category.ts";
import type { Finding, Follower, News } from "../detector.ts";
import { noScores } from "../policy/verdict-tally.ts";
import type { Tail } from "../tail.ts";
import { GrowingText } from "./growing-text.ts";
import type { SafetyModel } from "./safety-model.ts";

/** Below this nobody acts on a score, and nothing is told of it before the end. */
const NOTABLE = 0.05;

/** Moderates an answer while it grows, by the trained model. Tells each category again as it gets worse. */
export class ModerationFollower implements Follower {
  readonly #growing: GrowingText;
  readonly #told = noScores();
  readonly #places = new Map<SafetyCategory, { readonly start: number; readonly end: number }>();
  #read = 0;
  #judged = 0;
  #rises = 0;

  constructor(model: SafetyModel) {
    this.#growing = new GrowingText(model);
  }

  get judged(): number {
    return this.#judged;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    this.#growing.add(tail.slice(this.#read, to));
    this.#read = to;
    if (isLast) this.#growing.end();
    if (this.#growing.judged === this.#judged && !isLast) return undefined;
    this.#judged = this.#growing.judged;
    // What did not rise was told, or is told at the end.
    if (this.#growing.rises === this.#rises && !isLast) return undefined;
    this.#rises = this.#growing.rises;
    const findings = this.#worse(isLast ? 0 : NOTABLE);
    return findings.length === 0 ? undefined : { findings, normalised: [] };
  }

  #worse(least: number): Finding[] {
    const scores = this.#growing.scores();
    const findings: Finding[] = [];
    for (const category of SAFETY_CATEGORIES) {
      const score = scores[category];
      const place = this.#growing.placeOf(category);
      if (place === undefined || score < least || score <= this.#told[category]) continue;
      this.#told[category] = score;
      findings.push({ category, score, ...this.#joined(category, place) });
    }
    return findings;
  }

  /** The window slides: where it still reads what was told before, that place has only grown. */
  #joined(category: SafetyCategory, place: { readonly start: number; readonly end: number }) {
    const before = this.#places.get(category);
    const start = before !== undefined && before.end > place.start ? before.start : place.start;
    const joined = { start, end: place.end };
    this.#places.set(category, joined);
    return joined;
  }
}
