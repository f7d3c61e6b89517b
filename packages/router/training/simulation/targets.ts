import { summarise } from "./measures.ts";
import { type OutageFigures, type Runs, reactionsOf } from "./trials.ts";

/** Something that is claimed of the router, and what was measured. */
export interface Verdict {
  readonly claim: string;
  readonly most: number;
  /** Infinity: it never came. */
  readonly measured: number;
}

export const holds = ({ most, measured }: Verdict) => measured <= most;

/** What is claimed: how dear "cheapest" may be, how fast a change is met, and what an outage may cost. */
export const MOST = {
  costOfCheapest: 1.05,
  slowedCalls: 20,
  backSeconds: 30,
  attemptsPerRequest: 1.1,
  failuresUntilOut: 5,
  takenSeconds: 5,
} as const;

export function judge(runs: Runs, outages: readonly OutageFigures[]): Verdict[] {
  const reactions = reactionsOf(runs);
  const badCalls = (change: string) =>
    reactions.find((reaction) => reaction.change === change)?.badCalls ?? Number.POSITIVE_INFINITY;
  const seconds = (change: string) =>
    secondsOf(reactions.find((reaction) => reaction.change === change)?.takenAfterMs);
  const worst = (measure: (outage: OutageFigures) => number) => Math.max(...outages.map(measure));
  const errors = Object.values(runs).map(({ outcomes }) => summarise(outcomes).errors);
  return [
    {
      claim: "cost: paid, of the cheapest feasible in hindsight",
      most: MOST.costOfCheapest,
      measured: summarise(runs["cost-optimized"].outcomes).costOfCheapest,
    },
    {
      claim: "speed: calls that a slowed provider still gets in a minute",
      most: MOST.slowedCalls,
      measured: badCalls("swift slows down tenfold"),
    },
    {
      claim: "speed: seconds until it is back once it is fast again",
      most: MOST.backSeconds,
      measured: seconds("swift is fast again"),
    },
    {
      claim: "cost: seconds until one that died is back once it is well",
      most: MOST.backSeconds,
      measured: seconds("penny is back"),
    },
    {
      claim: "quality: seconds until one that answered 500 is back once it is well",
      most: MOST.backSeconds,
      measured: seconds("scholar is back"),
    },
    {
      claim: "cost: calls to a model after its price rose",
      most: 0,
      measured: badCalls("penny costs four times as much"),
    },
    {
      claim: "cost: seconds until a lower price is taken",
      most: MOST.takenSeconds,
      measured: seconds("penny costs what it did"),
    },
    {
      claim: "cost: seconds until a new, cheaper model is taken",
      most: MOST.takenSeconds,
      measured: seconds("farthing is new and cheaper"),
    },
    { claim: "all: requests that ended in an error", most: 0, measured: Math.max(...errors) },
    {
      claim: "one of three fails: errors after the first 2 s",
      most: 0,
      measured: worst(({ lateErrors }) => lateErrors),
    },
    {
      claim: "one of three fails: calls per request",
      most: MOST.attemptsPerRequest,
      measured: worst(({ attemptsPerRequest }) => attemptsPerRequest),
    },
    {
      claim: "one of three fails: failures seen until it is left alone",
      most: MOST.failuresUntilOut,
      measured: worst(({ failuresUntilOut }) => failuresUntilOut),
    },
    {
      claim: "one of three fails: seconds until it is back once it is well",
      most: MOST.backSeconds,
      measured: worst(({ backAfterMs }) => secondsOf(backAfterMs)),
    },
  ];
}

function secondsOf(ms: number | undefined): number {
  return ms === undefined ? Number.POSITIVE_INFINITY : ms / 1_000;
}
