import type { Opinion } from "../domain/opinion.ts";
import type { SafetyAction, Span, Verdict } from "../domain/verdict.ts";
import { SAFETY_CATEGORIES, type SafetyCategory } from "./categories.ts";

const BY_SEVERITY: readonly SafetyAction[] = ["allow", "report", "redact", "refuse"];
/** More places than this help nobody. */
const SPANS_MAX = 64;

/** Every category at nothing. */
export function noScores(): Record<SafetyCategory, number> {
  return {
    injection: 0,
    jailbreak: 0,
    unsafe_intent: 0,
    hate: 0,
    harassment: 0,
    sexual: 0,
    sexual_minors: 0,
    violence: 0,
    self_harm: 0,
    illicit: 0,
    pii: 0,
    secret: 0,
  };
}

/** The more severe of two actions. */
export function worseOf(one: SafetyAction, other: SafetyAction): SafetyAction {
  return BY_SEVERITY.indexOf(one) > BY_SEVERITY.indexOf(other) ? one : other;
}

/** Collects the verdicts on the passages of one text into the worst of them all. */
export class VerdictTally {
  readonly #scores = noScores();
  readonly #spans = new Map<string, Span>();
  readonly #normalised = new Set<string>();
  readonly #opinions: Opinion[] = [];
  #action: SafetyAction = "allow";

  /** Adds the verdict on a passage that begins at `offset` of the whole. */
  add(verdict: Verdict, offset: number): void {
    this.#action = worseOf(this.#action, verdict.action);
    for (const category of SAFETY_CATEGORIES) {
      this.#scores[category] = Math.max(this.#scores[category], verdict.categories[category] ?? 0);
    }
    for (const disguise of verdict.normalised) this.#normalised.add(disguise);
    if (verdict.opinions !== undefined) this.#opinions.push(...verdict.opinions);
    for (const span of verdict.spans) this.#addSpan(span, offset);
  }

  /** Passages overlap where a text is judged while it grows: of two spans with one beginning the longer one stays. */
  #addSpan(span: Span, offset: number): void {
    const { category, start, end } = span;
    const key = `${category} ${start + offset}`;
    const known = this.#spans.get(key);
    if (known === undefined ? this.#spans.size >= SPANS_MAX : known.end >= end + offset) return;
    this.#spans.set(key, { ...span, start: start + offset, end: end + offset });
  }

  verdict(): Verdict {
    return {
      flagged: this.#action !== "allow",
      action: this.#action,
      categories: { ...this.#scores },
      spans: [...this.#spans.values()],
      normalised: [...this.#normalised],
      ...(this.#opinions.length === 0 ? {} : { opinions: [...this.#opinions] }),
    };
  }
}
