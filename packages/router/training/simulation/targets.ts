import { summarise } from "./measures.ts";
import { type OutageMetrics, type RunsByStrategy, reactionsOf } from "./trials.ts";

/** Something that is claimed of the router, and what was measured. */
export interface ClaimResult {
  readonly claim: string;
  readonly limit: number;
  /** Infinity: it never came. */
  readonly measured: number;
}

export const isMet = ({ limit: most, measured }: ClaimResult) => measured <= most;

/** What is claimed: how dear "cheapest" may be, how fast a change is met, and what an outage may cost. */
export const CLAIM_LIMITS = {
  costOfCheapest: 1.05,
  slowedCalls: 20,
  backSeconds: 30,
  attemptsPerRequest: 1.1,
  failuresUntilOut: 5,
  takenSeconds: 5,
} as const;

export function checkClaims(
  simulationRuns: RunsByStrategy,
  outages: readonly OutageMetrics[],
): ClaimResult[] {
  const reactions = reactionsOf(simulationRuns);
  const badCalls = (change: string) =>
    reactions.find((reaction) => reaction.change === change)?.badCalls ?? Number.POSITIVE_INFINITY;
  const seconds = (change: string) =>
    secondsOf(reactions.find((reaction) => reaction.change === change)?.takenAfterMs);
  const worst = (measure: (outage: OutageMetrics) => number) => Math.max(...outages.map(measure));
  const errors = Object.values(simulationRuns).map(({ outcomes }) => summarise(outcomes).errors);
  return [
    {
      claim: "cost: paid, of the cheapest feasible in hindsight",
      limit: CLAIM_LIMITS.costOfCheapest,
      measured: summarise(simulationRuns["cost-optimized"].outcomes).costOfCheapest,
    },
    {
      claim: "speed: calls that a slowed provider still gets in a minute",
      limit: CLAIM_LIMITS.slowedCalls,
      measured: badCalls("swift slows down tenfold"),
    },
    {
      claim: "speed: seconds until it is back once it is fast again",
      limit: CLAIM_LIMITS.backSeconds,
      measured: seconds("swift is fast again"),
    },
    {
      claim: "cost: seconds until one that died is back once it is well",
      limit: CLAIM_LIMITS.backSeconds,
      measured: seconds("penny is back"),
    },
    {
      claim: "quality: seconds until one that answered 500 is back once it is well",
      limit: CLAIM_LIMITS.backSeconds,
      measured: seconds("scholar is back"),
    },
    {
      claim: "cost: calls to a model after its price rose",
      limit: 0,
      measured: badCalls("penny costs four times as much"),
    },
    {
      claim: "cost: seconds until a lower price is taken",
      limit: CLAIM_LIMITS.takenSeconds,
      measured: seconds("penny costs what it did"),
    },
    {
      claim: "cost: seconds until a new, cheaper model is taken",
      limit: CLAIM_LIMITS.takenSeconds,
      measured: seconds("farthing is new and cheaper"),
    },
    { claim: "all: requests that ended in an error", limit: 0, measured: Math.max(...errors) },
    {
      claim: "one of three fails: errors after the first 2 s",
      limit: 0,
      measured: worst(({ lateErrors }) => lateErrors),
    },
    {
      claim: "one of three fails: calls per request",
      limit: CLAIM_LIMITS.attemptsPerRequest,
      measured: worst(({ attemptsPerRequest }) => attemptsPerRequest),
    },
    {
      claim: "one of three fails: failures seen until it is left alone",
      limit: CLAIM_LIMITS.failuresUntilOut,
      measured: worst(({ failuresUntilOut }) => failuresUntilOut),
    },
    {
      claim: "one of three fails: seconds until it is back once it is well",
      limit: CLAIM_LIMITS.backSeconds,
      measured: worst(({ backAfterMs }) => secondsOf(backAfterMs)),
    },
  ];
}

function secondsOf(ms: number | undefined): number {
  return ms === undefined ? Number.POSITIVE_INFINITY : ms / 1_000;
}
