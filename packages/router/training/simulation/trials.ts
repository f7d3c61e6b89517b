import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import {
  callsBetween,
  failuresUntilAvoided,
  outcomesBetween,
  summarise,
  timeUntilAdopted,
} from "./measures.ts";
import { runSimulation, type SimulationRun } from "./run-simulation.ts";
import {
  FAILURES,
  type FailureKind,
  liveConditions,
  OUTAGE,
  oneOfThreeFails,
  TIMELINE,
} from "./scenarios.ts";

export type RunsByStrategy = Readonly<Record<Strategy, SimulationRun>>;

/** How one change was met by the strategy that it concerns. */
export interface Reaction {
  readonly strategy: Strategy;
  readonly change: string;
  /** How many calls the provider got while it was no good choice; undefined: it was one. */
  readonly badCalls: number | undefined;
  /** How long after the change most requests go to the provider; undefined: never. */
  readonly takenAfterMs: number | undefined;
}

/** How an outage of one provider among three was met. */
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

/** What each change did to the strategy whose favourite it concerns. */
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

/** Nothing is asked of the first moments: somebody has to find out. */
const DETECTION_MS = 2_000;

export async function runOutages(
  seed: string,
  perSecond: number,
  strategies: readonly Strategy[] = STRATEGIES,
): Promise<OutageMetrics[]> {
  const figures: OutageMetrics[] = [];
  for (const kind of FAILURES) {
    for (const strategy of strategies) {
      figures.push(
        outageMetrics(await runSimulation(oneOfThreeFails(seed, perSecond, kind), strategy), kind),
      );
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
