import type { Outcome, SimulationRun } from "./run-simulation.ts";

/** How a run did against what could have been had. */
export interface Summary {
  readonly requests: number;
  readonly errors: number;
  readonly attemptsPerRequest: number;
  /** All that was paid, of the least that could have been. */
  readonly costOfCheapest: number;
  /** The mean of how many times the fastest's time each took. */
  readonly timeOfFastest: number;
  /** The mean of what each was below the best. */
  readonly qualityBelowBest: number;
}

export function summarise(outcomes: readonly Outcome[]): Summary {
  const compared = outcomes.flatMap((outcome) =>
    outcome.best === undefined || outcome.provider === undefined ? [] : [{ ...outcome, best: outcome.best }],
  );
  return {
    requests: outcomes.length,
    errors: outcomes.filter(({ provider }) => provider === undefined).length,
    attemptsPerRequest: sum(outcomes.map(({ attempts }) => attempts)) / outcomes.length,
    costOfCheapest: sum(compared.map(({ cost }) => cost)) / sum(compared.map(({ best }) => best.cost)),
    timeOfFastest: sum(compared.map(({ ms, best }) => ms / best.ms)) / compared.length,
    qualityBelowBest: sum(compared.map(({ quality, best }) => best.quality - quality)) / compared.length,
  };
}

/** The requests that came within a span of time. */
export function outcomesBetween(
  simulationRun: SimulationRun,
  fromMs: number,
  toMs: number,
): readonly Outcome[] {
  return simulationRun.outcomes.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
}

/** How many calls a provider got within a span of time. */
export function callsBetween(
  simulationRun: SimulationRun,
  provider: string,
  fromMs: number,
  toMs: number,
): number {
  return (simulationRun.callsMs[provider] ?? []).filter((atMs) => atMs >= fromMs && atMs < toMs).length;
}

/** One that is not called for so long counts as left alone. */
const AVOIDED_AFTER_MS = 2_000;

/** How many failures of a provider were seen, from a moment on, until it was left alone; calls that ran by then don't count. */
export function failuresUntilAvoided(
  simulationRun: SimulationRun,
  provider: string,
  fromMs: number,
  toMs: number,
): number {
  const calls = (simulationRun.callsMs[provider] ?? []).filter((atMs) => atMs >= fromMs && atMs < toMs);
  const last = calls.findIndex((atMs, index) => (calls[index + 1] ?? toMs) - atMs >= AVOIDED_AFTER_MS);
  const lastMs = calls[last];
  if (lastMs === undefined) return calls.length;
  const seen = (simulationRun.failuresMs[provider] ?? []).filter(
    (atMs) => atMs >= fromMs && atMs <= lastMs,
  ).length;
  return seen + 1;
}

/** Of so many requests, half must be answered by a provider for it to count as taken. */
const ADOPTION_SAMPLE = 10;

/** How long after a moment most requests are answered by a provider; undefined: not before `untilMs`. */
export function timeUntilAdopted(
  simulationRun: SimulationRun,
  provider: string,
  fromMs: number,
  untilMs: number,
): number | undefined {
  const outcomes = outcomesBetween(simulationRun, fromMs, untilMs);
  const start = outcomes.findIndex((first, index) => {
    const run = outcomes.slice(index, index + ADOPTION_SAMPLE);
    const taken = run.filter((outcome) => outcome.provider === provider).length;
    return first.provider === provider && taken * 2 >= ADOPTION_SAMPLE;
  });
  const first = outcomes[start];
  return first === undefined ? undefined : first.atMs - fromMs;
}

/** Something by span of time, for a picture; NaN where nothing came. */
export function overTime(
  simulationRun: SimulationRun,
  spanMs: number,
  measure: (summary: Summary) => number,
): number[] {
  const values: number[] = [];
  for (let fromMs = 0; fromMs < simulationRun.scenario.durationMs; fromMs += spanMs) {
    const outcomes = outcomesBetween(simulationRun, fromMs, fromMs + spanMs);
    values.push(outcomes.length === 0 ? Number.NaN : measure(summarise(outcomes)));
  }
  return values;
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
