import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import { callsBetween, failuresUntilLeft, summarise, takenAfterMs, within } from "./measures.ts";
import { type Run, runSimulation } from "./run-simulation.ts";
import { FAILURES, type FailureKind, liveConditions, MOMENTS, OUTAGE, oneOfThreeFails } from "./scenarios.ts";

export type Runs = Readonly<Record<Strategy, Run>>;

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
export interface OutageFigures {
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

export async function runLiveConditions(seed: string, perSecond: number): Promise<Runs> {
  const scenario = liveConditions(seed, perSecond);
  return {
    "cost-optimized": await runSimulation(scenario, "cost-optimized"),
    "speed-optimized": await runSimulation(scenario, "speed-optimized"),
    "quality-optimized": await runSimulation(scenario, "quality-optimized"),
    hybrid: await runSimulation(scenario, "hybrid"),
  };
}

/** What each change did to the strategy whose favourite it concerns. */
export function reactionsOf(runs: Runs): Reaction[] {
  const { slowed, unslowed, died, healed, dearer, cheaper, arrived, limited, unlimited } = MOMENTS;
  const { bestDied, bestHealed, end } = MOMENTS;
  const leaves = (strategy: Strategy, change: string, provider: string, fromMs: number, toMs: number) => ({
    strategy,
    change,
    badCalls: callsBetween(runs[strategy], provider, fromMs, toMs),
    takenAfterMs: undefined,
  });
  const takes = (strategy: Strategy, change: string, provider: string, fromMs: number, toMs: number) => ({
    strategy,
    change,
    badCalls: undefined,
    takenAfterMs: takenAfterMs(runs[strategy], provider, fromMs, toMs),
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
const FIRST_MOMENTS_MS = 2_000;

export async function runOutages(
  seed: string,
  perSecond: number,
  strategies: readonly Strategy[] = STRATEGIES,
): Promise<OutageFigures[]> {
  const figures: OutageFigures[] = [];
  for (const kind of FAILURES) {
    for (const strategy of strategies) {
      figures.push(outageOf(await runSimulation(oneOfThreeFails(seed, perSecond, kind), strategy), kind));
    }
  }
  return figures;
}

function outageOf(run: Run, kind: FailureKind): OutageFigures {
  const { fromMs, toMs, endMs } = OUTAGE;
  const during = summarise(within(run, fromMs, toMs));
  return {
    kind,
    strategy: run.strategy,
    requests: during.requests,
    errors: during.errors,
    lateErrors: summarise(within(run, fromMs + FIRST_MOMENTS_MS, endMs)).errors,
    attemptsPerRequest: during.attemptsPerRequest,
    failuresUntilOut: failuresUntilLeft(run, "first", fromMs, toMs),
    callsWhileOut: callsBetween(run, "first", fromMs, toMs),
    backAfterMs: takenAfterMs(run, "first", toMs, endMs),
  };
}
