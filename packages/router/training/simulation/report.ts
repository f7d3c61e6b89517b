import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import type { EvaluationSection } from "../held-out.ts";
import { drawPlot, formatTable, sparkline } from "./charts.ts";
import { TIMELINE } from "./scenarios.ts";
import {
  type OutageMetrics,
  overTime,
  type RunsByStrategy,
  reactionsOf,
  runLiveConditions,
  runOutages,
  type Summary,
  summarise,
} from "./trials.ts";

const LIVE_PER_SECOND = 10;
const OUTAGE_PER_SECOND = 20;

/** Sends simulated traffic through the real router while providers slow down, fail, recover, change prices and appear. */
export const simulationSection: EvaluationSection = {
  title: "Simulated traffic under live conditions",
  async run({ seed, plot }) {
    const simulationRuns = await runLiveConditions(seed, LIVE_PER_SECOND);
    const outages = await runOutages(seed, OUTAGE_PER_SECOND);
    if (plot !== undefined) {
      await mkdir(dirname(plot), { recursive: true });
      await writeFile(plot, renderPlot(simulationRuns));
    }
    return renderReport(simulationRuns, outages);
  },
};

const PLOT_BUCKET_MS = 5_000;
const SPARKLINE_BUCKET_MS = 10_000;

/** The regret of each strategy: 0 where no better choice was possible. */
const REGRET: Readonly<Record<Strategy, { readonly name: string; readonly of: (summary: Summary) => number }>> = {
  "cost-optimized": { name: "paid too much", of: ({ costOfCheapest }) => costOfCheapest - 1 },
  "speed-optimized": { name: "took too long", of: ({ timeOfFastest }) => timeOfFastest - 1 },
  "quality-optimized": { name: "below the best", of: ({ qualityBelowBest }) => qualityBelowBest },
  hybrid: { name: "below the best", of: ({ qualityBelowBest }) => qualityBelowBest },
};
const MAX_REGRET = 1;
const MAX_QUALITY_REGRET = 0.3;

const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`;
const formatRatio = (ratio: number) => `${ratio.toFixed(2)}×`;
const formatSeconds = (ms: number | undefined) => (ms === undefined ? "never" : `${(ms / 1_000).toFixed(1)} s`);

/** All measurements as Markdown. */
export function renderReport(simulationRuns: RunsByStrategy, outages: readonly OutageMetrics[]): string {
  return [
    "## Live conditions",
    "",
    `${simulationRuns.hybrid.outcomes.length} requests in ${TIMELINE.end / 60_000} minutes for each strategy, seven models and one that comes later, against what one could have had who knew how every provider is doing:`,
    "",
    formatTable(
      ["strategy", "cost, of cheapest", "time, of fastest", "quality below best", "calls a request", "errors"],
      STRATEGIES.map((strategy) => strategyRow(strategy, summarise(simulationRuns[strategy].outcomes))),
    ),
    "",
    "How the strategy that each change concerns met it:",
    "",
    formatTable(
      ["change", "strategy", "calls it still got", "taken after"],
      reactionsOf(simulationRuns).map(({ change, strategy, badCalls, takenAfterMs }) => [
        change,
        strategy,
        badCalls === undefined ? "" : `${badCalls}`,
        badCalls === undefined ? formatSeconds(takenAfterMs) : "",
      ]),
      2,
    ),
    "",
    `Regret over time, ${SPARKLINE_BUCKET_MS / 1_000} s a bar:`,
    "",
    ...STRATEGIES.map((strategy) => regretLine(simulationRuns, strategy)),
    "",
    "## One of three fails completely for a minute",
    "",
    formatTable(
      ["how", "strategy", "errors", "after 2 s", "calls a request", "out after", "calls meanwhile", "back after"],
      outages.map((outage) => [
        outage.kind,
        outage.strategy,
        `${outage.errors}`,
        `${outage.lateErrors}`,
        outage.attemptsPerRequest.toFixed(3),
        `${outage.failuresUntilOut} failures`,
        `${outage.callsWhileOut}`,
        formatSeconds(outage.backAfterMs),
      ]),
      2,
    ),
    "",
    "## Claims",
    "",
    ...checkClaims(simulationRuns, outages).map((claimResult) => {
      const measured = Number.isFinite(claimResult.measured) ? Number(claimResult.measured.toFixed(3)) : "never";
      const word = isMet(claimResult) ? "holds" : "**is missed**";
      return `- ${claimResult.claim}: at most ${claimResult.limit}, measured ${measured}. The claim ${word}.`;
    }),
    "",
  ].join("\n");
}

/** The regret of every strategy over time as a plot. */
export function renderPlot(simulationRuns: RunsByStrategy): string {
  const lines = (measure: (summary: Summary) => number) =>
    STRATEGIES.map((strategy) => ({
      name: strategy,
      values: overTime(simulationRuns[strategy], PLOT_BUCKET_MS, measure),
    }));
  const { providerEvents, arrivals } = simulationRuns.hybrid.scenario;
  const marks = [
    ...providerEvents.map(({ atMs, name }) => ({ at: atMs / TIMELINE.end, name })),
    ...Object.entries(arrivals).map(([name, atMs]) => ({ at: atMs / TIMELINE.end, name: `${name} arrives` })),
  ];
  return drawPlot(
    "What the router had against the best that could be had",
    [
      { title: "cost, of the cheapest", lines: lines(({ costOfCheapest }) => costOfCheapest), max: 4 },
      { title: "time, of the fastest", lines: lines(({ timeOfFastest }) => timeOfFastest), max: 6 },
      {
        title: "quality below the best",
        lines: lines(({ qualityBelowBest }) => qualityBelowBest),
        max: 0.4,
      },
    ],
    marks,
  );
}

function strategyRow(strategy: Strategy, summary: Summary): string[] {
  return [
    strategy,
    formatRatio(summary.costOfCheapest),
    formatRatio(summary.timeOfFastest),
    summary.qualityBelowBest.toFixed(3),
    summary.attemptsPerRequest.toFixed(3),
    `${summary.errors}`,
  ];
}

function regretLine(simulationRuns: RunsByStrategy, strategy: Strategy): string {
  const { name, of } = REGRET[strategy];
  const isQuality = of === REGRET["quality-optimized"].of || strategy === "hybrid";
  const most = isQuality ? MAX_QUALITY_REGRET : MAX_REGRET;
  const line = sparkline(overTime(simulationRuns[strategy], SPARKLINE_BUCKET_MS, of), most);
  return `    ${strategy.padEnd(18)}${line}  ${name}, full at ${isQuality ? most : formatPercent(most)}`;
}

/** A claim about the router, and the measured value. */
interface ClaimResult {
  readonly claim: string;
  readonly limit: number;
  /** Infinity: it never happened. */
  readonly measured: number;
}

export const isMet = ({ limit: most, measured }: ClaimResult) => measured <= most;

/** The claims: how close to the cheapest, how fast after a change, and how many errors in an outage. */
const CLAIM_LIMITS = {
  costOfCheapest: 1.05,
  slowedCalls: 20,
  backSeconds: 30,
  attemptsPerRequest: 1.1,
  failuresUntilOut: 5,
  takenSeconds: 5,
} as const;

export function checkClaims(simulationRuns: RunsByStrategy, outages: readonly OutageMetrics[]): ClaimResult[] {
  const reactions = reactionsOf(simulationRuns);
  const badCalls = (change: string) =>
    reactions.find((reaction) => reaction.change === change)?.badCalls ?? Number.POSITIVE_INFINITY;
  const seconds = (change: string) => secondsOf(reactions.find((reaction) => reaction.change === change)?.takenAfterMs);
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
