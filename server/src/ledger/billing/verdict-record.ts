import { JsonFields } from "@trunkline/core/json-fields.ts";
import { SAFETY_CATEGORIES, type SafetyCategory } from "@trunkline/core/safety-policy.ts";
import { intendedAction, type Opinion, type Verdict } from "@trunkline/core/verdict.ts";

/** A verdict as it is stored; null: there is none. */
export function verdictRecord(verdict: Verdict | undefined) {
  if (verdict === undefined) return null;
  const categories = new PositiveScores(verdict.categories);
  const judge = verdict.opinions?.map(opinionOf);
  if (!verdict.flagged && verdict.redacted === undefined)
    return { action: verdict.action, categories, dry_run: isDryRun(verdict), judge };
  const { acted, decidedBy, spans, redacted, normalised } = verdict;
  return {
    action: intendedAction(verdict),
    categories,
    acted,
    // Kind and position only: the text itself may be private.
    spans: spans.length === 0 ? undefined : spans,
    redacted,
    normalised: normalised.length === 0 ? undefined : normalised,
    dry_run: isDryRun(verdict),
    policy: decidedBy,
    judge,
  };
}

function opinionOf({ result, why, doubts, said, ms, remembered }: Opinion) {
  return { result, why, doubts, said, ms: round(ms), remembered };
}

function isDryRun({ dryRun }: Verdict): true | undefined {
  return dryRun === undefined ? undefined : true;
}

/** The scores above zero. */
class PositiveScores extends JsonFields {
  readonly #scores: Verdict["categories"];

  constructor(scores: Verdict["categories"]) {
    super();
    this.#scores = scores;
  }

  get names(): readonly SafetyCategory[] {
    return SAFETY_CATEGORIES;
  }

  valueAt(place: number): number | undefined {
    const score = this.#scores[SAFETY_CATEGORIES[place] ?? ""] ?? 0;
    return score > 0 ? score : undefined;
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
