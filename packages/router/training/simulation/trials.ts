import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import { type Outcome, runSimulation, type SimulationRun } from "./run-simulation.ts";
import { FAILURES, type FailureKind, liveConditions, OUTAGE, oneOfThreeFails, TIMELINE } from "./scenarios.ts";

export type RunsByStrategy = Readonly<Record<Strategy, SimulationRun>>;

/** The reaction of the affected strategy to one change. */
interface Reaction {
  readonly strategy: Strategy;
  readonly change: string;
  /** The calls that the provider got while it was a bad choice; undefined: it was a good one. */
  readonly badCalls: number | undefined;
  /** The time after the change until most requests go to the provider; undefined: never. */
  readonly takenAfterMs: number | undefined;
}

/** The reaction to an outage of one of three providers. */
export interface OutageMetrics {
  readonly kind: FailureKind;
  readonly strategy: Strategy;
  readonly requests: number;
  readonly errors: number;
  readonly lateErrors: number;
  readonly attemptsPerRequest: number;
  readonly failuresUntilOut: number;
  readonly callsWhileOut: number;
  readonly backAfterMs: number | undefined;
}

export async function runLiveConditions(seed: string, perSecond: number): Promise<RunsByStrategy> {
  const scenario = liveConditions(seed, perSecond);
  return {
    "cost-optimized": await runSimulation(scenario, "cost-optimized"),
    "speed-optimized": await runSimulation(scenario, "speed-optimized"),
    "quality-optimized": await runSimulation(scenario, "quality-optimized"),
    hybrid: await runSimulation(scenario, "hybrid"),
  };
}

/** The reactions of the strategies whose best model changed. */
export function reactionsOf(simulationRuns: RunsByStrategy): Reaction[] {
  const { slowed, unslowed, died, healed, dearer, cheaper, arrived, limited, unlimited } = TIMELINE;
  const { bestDied, bestHealed, end } = TIMELINE;
  const leaves = (strategy: Strategy, change: string, provider: string, fromMs: number, toMs: number) => ({
    strategy,
    change,
    badCalls: callsBetween(simulationRuns[strategy], provider, fromMs, toMs),
    takenAfterMs: undefined,
  });
  const takes = (strategy: Strategy, change: string, provider: string, fromMs: number, toMs: number) => ({
    strategy,
    change,
    badCalls: undefined,
    takenAfterMs: timeUntilAdopted(simulationRuns[strategy], provider, fromMs, toMs),
  });
  return [
    leaves("speed-optimized", "swift slows down tenfold", "swift", slowed, unslowed),
    takes("speed-optimized", "swift is fast again", "swift", unslowed, died),
    leaves("cost-optimized", "penny dies", "penny", died, healed),
    takes("cost-optimized", "penny is back", "penny", healed, dearer),
    leaves("cost-optimized", "penny costs four times as much", "penny", dearer, cheaper),
    takes("cost-optimized", "penny costs what it did", "penny", cheaper, arrived),
    takes("cost-optimized", "farthing is new and cheaper", "farthing", arrived, limited),
    takes("cost-optimized", "farthing limits no more", "farthing", unlimited, bestDied),
    leaves("quality-optimized", "scholar answers 500", "scholar", bestDied, bestHealed),
    takes("quality-optimized", "scholar is back", "scholar", bestHealed, end),
  ];
}

/** The first moments are not counted: the router has to notice the change first. */
const DETECTION_MS = 2_000;

export async function runOutages(
  seed: string,
  perSecond: number,
  strategies: readonly Strategy[] = STRATEGIES,
): Promise<OutageMetrics[]> {
  const figures: OutageMetrics[] = [];
  for (const kind of FAILURES) {
    for (const strategy of strategies) {
      figures.push(outageMetrics(await runSimulation(oneOfThreeFails(seed, perSecond, kind), strategy), kind));
    }
  }
  return figures;
}

function outageMetrics(simulationRun: SimulationRun, kind: FailureKind): OutageMetrics {
  const { fromMs, toMs, endMs } = OUTAGE;
  const during = summarise(outcomesBetween(simulationRun, fromMs, toMs));
  return {
    kind,
    strategy: simulationRun.strategy,
    requests: during.requests,
    errors: during.errors,
    lateErrors: summarise(outcomesBetween(simulationRun, fromMs + DETECTION_MS, endMs)).errors,
    attemptsPerRequest: during.attemptsPerRequest,
    failuresUntilOut: failuresUntilAvoided(simulationRun, "first", fromMs, toMs),
    callsWhileOut: callsBetween(simulationRun, "first", fromMs, toMs),
    backAfterMs: timeUntilAdopted(simulationRun, "first", toMs, endMs),
  };
}

/** A run compared with the best possible choices. */
export interface Summary {
  readonly requests: number;
  readonly errors: number;
  readonly attemptsPerRequest: number;
  /** The total cost relative to the lowest possible. */
  readonly costOfCheapest: number;
  /** The mean time relative to the fastest. */
  readonly timeOfFastest: number;
  /** The mean distance to the best quality. */
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

/** The requests of a time span. */
function outcomesBetween(simulationRun: SimulationRun, fromMs: number, toMs: number): readonly Outcome[] {
  return simulationRun.outcomes.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
}

/** The calls of a provider in a time span. */
function callsBetween(simulationRun: SimulationRun, provider: string, fromMs: number, toMs: number): number {
  return (simulationRun.callsMs[provider] ?? []).filter((atMs) => atMs >= fromMs && atMs < toMs).length;
}

/** A provider without calls for this long counts as avoided. */
const AVOIDED_AFTER_MS = 2_000;

/** The failures of a provider from a time on until it was avoided. Calls that already ran don't count. */
function failuresUntilAvoided(simulationRun: SimulationRun, provider: string, fromMs: number, toMs: number): number {
  const calls = (simulationRun.callsMs[provider] ?? []).filter((atMs) => atMs >= fromMs && atMs < toMs);
  const last = calls.findIndex((atMs, index) => (calls[index + 1] ?? toMs) - atMs >= AVOIDED_AFTER_MS);
  const lastMs = calls[last];
  if (lastMs === undefined) return calls.length;
  const seen = (simulationRun.failuresMs[provider] ?? []).filter((atMs) => atMs >= fromMs && atMs <= lastMs).length;
  return seen + 1;
}

/** A provider counts as preferred when it answers half of this many requests. */
const ADOPTION_SAMPLE = 10;

/** The time until a provider answers most requests; undefined: not before `untilMs`. */
function timeUntilAdopted(
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

/** A value per time span, for the plot; NaN: no requests. */
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
