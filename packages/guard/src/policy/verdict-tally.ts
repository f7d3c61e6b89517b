import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Opinion, SafetyAction, SafetyLevel, Span, Verdict } from "@trunkline/core/verdict.ts";

const BY_SEVERITY: readonly SafetyAction[] = ["allow", "report", "redact", "refuse"];
/** More spans would not help the caller. */
export const SPANS_MAX = 64;

export function zeroScores(): Record<SafetyCategory, number> {
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

export function moreSevere(one: SafetyAction, other: SafetyAction): SafetyAction {
  return BY_SEVERITY.indexOf(one) > BY_SEVERITY.indexOf(other) ? one : other;
}

/** Combines the verdicts on the passages of a text into the most severe one. */
export class VerdictTally {
  readonly #scores = zeroScores();
  readonly #spans = new Map<string, Span>();
  readonly #normalised = new Set<string>();
  readonly #opinions: Opinion[] = [];
  readonly #acted: Record<string, SafetyAction> = {};
  #action: SafetyAction = "allow";
  #dryRun: SafetyAction | undefined;
  #decidedBy: SafetyLevel | undefined;

  /** Adds the verdict on a passage that begins at `offset` of the whole text. */
  add(verdict: Verdict, offset: number): void {
    this.#addActions(verdict);
    for (const category of SAFETY_CATEGORIES) {
      this.#scores[category] = Math.max(this.#scores[category], verdict.categories[category] ?? 0);
    }
    for (const disguise of verdict.normalised) this.#normalised.add(disguise);
    if (verdict.opinions !== undefined) this.#opinions.push(...verdict.opinions);
    for (const span of verdict.spans) this.#addSpan(span, offset);
  }

  #addActions({ action, dryRun, acted, decidedBy }: Verdict): void {
    const before = this.#dryRun ?? this.#action;
    const after = moreSevere(before, dryRun ?? action);
    if (after !== before || this.#decidedBy === undefined) this.#decidedBy = decidedBy;
    this.#action = moreSevere(this.#action, action);
    if (dryRun !== undefined) this.#dryRun = moreSevere(this.#dryRun ?? "allow", dryRun);
    for (const category in acted)
      this.#acted[category] = moreSevere(this.#acted[category] ?? "allow", acted[category] ?? "allow");
  }

  /** Passages of a growing text overlap: of two spans with the same start the longer one stays. */
  #addSpan(span: Span, offset: number): void {
    const { category, start, end } = span;
    const key = `${category} ${start + offset}`;
    const known = this.#spans.get(key);
    if (known === undefined ? this.#spans.size >= SPANS_MAX : known.end >= end + offset) return;
    this.#spans.set(key, { ...span, start: start + offset, end: end + offset });
  }

  verdict(): Verdict {
    // A refusal despite a dry run is a real refusal.
    const isDry = this.#dryRun !== undefined && this.#action !== "refuse";
    return {
      flagged: this.#action !== "allow",
      action: this.#action,
      ...(isDry ? { dryRun: this.#dryRun } : {}),
      categories: { ...this.#scores },
      ...(this.#action === "allow" ? {} : { acted: { ...this.#acted } }),
      ...(this.#decidedBy === undefined ? {} : { decidedBy: this.#decidedBy }),
      spans: [...this.#spans.values()],
      normalised: [...this.#normalised],
      ...(this.#opinions.length === 0 ? {} : { opinions: [...this.#opinions] }),
    };
  }
}
