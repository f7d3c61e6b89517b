import { SAFETY_CATEGORIES } from "@trunkline/core/safety-policy.ts";
import type { Opinion, SafetyAction, SafetyLevel, Span, Verdict } from "@trunkline/core/verdict.ts";
import { raiseScores, type Scores, zeroScores } from "./scores.ts";

const NO_SPANS: readonly Span[] = [];
const NO_NAMES: readonly string[] = [];
/** More spans would not help the caller. */
export const SPANS_MAX = 64;

export function moreSevere(one: SafetyAction, other: SafetyAction): SafetyAction {
  return severityOf(one) > severityOf(other) ? one : other;
}

function severityOf(action: SafetyAction): number {
  switch (action) {
    case "allow":
      return 0;
    case "report":
      return 1;
    case "redact":
      return 2;
    case "refuse":
      return 3;
  }
}

/** The verdict on passages in none of which anything was found; undefined: something was, and `VerdictTally` combines them. */
export function combinePlainVerdicts(verdicts: readonly Verdict[]): Verdict | undefined {
  if (!verdicts.every(isPlain)) return undefined;
  const categories = zeroScores();
  // Every detector scores all categories.
  for (const verdict of verdicts) raiseScores(categories, verdict.categories as Scores);
  return { flagged: false, action: "allow", categories, spans: NO_SPANS, normalised: NO_NAMES };
}

function isPlain({ flagged, action, dryRun, acted, decidedBy, spans, normalised, opinions }: Verdict): boolean {
  return (
    !flagged &&
    action === "allow" &&
    dryRun === undefined &&
    acted === undefined &&
    decidedBy === undefined &&
    opinions === undefined &&
    spans.length === 0 &&
    normalised.length === 0
  );
}

/** Combines the verdicts on the passages of a text into the most severe one. */
export class VerdictTally {
  readonly #scores: Record<string, number> = zeroScores();
  // Made where there is something to keep: most texts are clean.
  #spans: Map<string, Span> | undefined;
  #normalised: Set<string> | undefined;
  #opinions: Opinion[] | undefined;
  #acted: Record<string, SafetyAction> | undefined;
  #action: SafetyAction = "allow";
  #dryRun: SafetyAction | undefined;
  #decidedBy: SafetyLevel | undefined;

  /** Adds the verdict on a passage that begins at `offset` of the whole text. */
  add(verdict: Verdict, offset: number): void {
    this.#addActions(verdict);
    for (const category of SAFETY_CATEGORIES) {
      const score = verdict.categories[category] ?? 0;
      if (score > (this.#scores[category] ?? 0)) this.#scores[category] = score;
    }
    for (const disguise of verdict.normalised) {
      this.#normalised ??= new Set();
      this.#normalised.add(disguise);
    }
    if (verdict.opinions !== undefined) this.#opinions = [...(this.#opinions ?? []), ...verdict.opinions];
    for (const span of verdict.spans) this.#addSpan(span, offset);
  }

  #addActions({ action, dryRun, acted, decidedBy }: Verdict): void {
    const before = this.#dryRun ?? this.#action;
    const after = moreSevere(before, dryRun ?? action);
    if (after !== before || this.#decidedBy === undefined) this.#decidedBy = decidedBy;
    this.#action = moreSevere(this.#action, action);
    if (dryRun !== undefined) this.#dryRun = moreSevere(this.#dryRun ?? "allow", dryRun);
    if (acted === undefined) return;
    this.#acted ??= {};
    for (const category in acted)
      this.#acted[category] = moreSevere(this.#acted[category] ?? "allow", acted[category] ?? "allow");
  }

  /** Passages of a growing text overlap: of two spans with the same start the longer one stays. */
  #addSpan(span: Span, offset: number): void {
    const { category, start, end } = span;
    const key = `${category} ${start + offset}`;
    this.#spans ??= new Map();
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
      spans: this.#spans === undefined ? NO_SPANS : [...this.#spans.values()],
      normalised: this.#normalised === undefined ? NO_NAMES : [...this.#normalised],
      ...(this.#opinions === undefined ? {} : { opinions: this.#opinions }),
    };
  }
}
