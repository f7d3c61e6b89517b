import type { Offer } from "../../api/catalogue.ts";
import { formatClock, formatNumber, formatPercent } from "../../ui/format.ts";

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
  if (served === undefined) return "No calls in 24 h";
  return `${formatPercent(served)} of ${formatNumber(calls)} ${calls === 1 ? "call" : "calls"} served in 24 h`;
}

const WORDS: Readonly<Record<Stretch["state"], string>> = {
  up: "up",
  degraded: "degraded",
  down: "down",
  "no data": "no calls",
};

/** One stretch in words. */
export function describeStretch({ at, calls, failures, state }: Stretch): string {
  const what = calls === 0 ? "" : `, ${formatNumber(failures)} of ${formatNumber(calls)} failed`;
  return `${formatClock(at)}: ${WORDS[state]}${what}`;
}
