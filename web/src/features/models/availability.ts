import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { formatClock, formatNumber, formatPercent } from "../../ui/format.ts";

const TEXTS = texts.models.uptime;

/** One stretch of a day: an hour or a quarter of one. */
export type Stretch = Pick<Offer["availability"][number], "at" | "calls" | "failures" | "state">;

/** What all stretches say together. */
export interface Day {
  readonly calls: number;
  readonly failures: number;
  /** Of the calls that were made; undefined where there were none. */
  readonly served: number | undefined;
}

export function dayOf(stretches: readonly Stretch[]): Day {
  let calls = 0;
  let failures = 0;
  for (const stretch of stretches) {
    calls += stretch.calls;
    failures += stretch.failures;
  }
  return { calls, failures, served: calls === 0 ? undefined : (calls - failures) / calls };
}

/** The day in a sentence. */
export function describeDay(stretches: readonly Stretch[]): string {
  const { calls, served } = dayOf(stretches);
  return served === undefined ? TEXTS.none : TEXTS.day(formatPercent(served), calls);
}

/** The day in a few words, for a column that says what it is about. */
export function describeDayShortly(stretches: readonly Stretch[]): string {
  const { calls, served } = dayOf(stretches);
  return served === undefined ? TEXTS.shortNone : TEXTS.short(formatPercent(served), calls);
}

/** One stretch in words. */
export function describeStretch({ at, calls, failures, state }: Stretch): string {
  const word = TEXTS.states[state];
  if (calls === 0) return TEXTS.stretch(formatClock(at), word);
  return TEXTS.stretchFailed(formatClock(at), word, formatNumber(failures), formatNumber(calls));
}
