import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import { overTime, type Summary, summarise } from "./measures.ts";
import { drawPlot } from "./plot.ts";
import { TIMELINE } from "./scenarios.ts";
import { checkClaims, isMet } from "./targets.ts";
import { type OutageMetrics, type RunsByStrategy, reactionsOf } from "./trials.ts";
import { formatTable, sparkline } from "./write-table.ts";

const PLOT_BUCKET_MS = 5_000;
const SPARKLINE_BUCKET_MS = 10_000;

/** What a strategy wants, as something that is 0 where it could not have done better. */
const REGRET: Readonly<
  Record<Strategy, { readonly name: string; readonly of: (summary: Summary) => number }>
> = {
  "cost-optimized": { name: "paid too much", of: ({ costOfCheapest }) => costOfCheapest - 1 },
  "speed-optimized": { name: "took too long", of: ({ timeOfFastest }) => timeOfFastest - 1 },
  "quality-optimized": { name: "below the best", of: ({ qualityBelowBest }) => qualityBelowBest },
  hybrid: { name: "below the best", of: ({ qualityBelowBest }) => qualityBelowBest },
};
const MAX_REGRET = 1;
const MAX_QUALITY_REGRET = 0.3;

const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`;
const formatRatio = (ratio: number) => `${ratio.toFixed(2)}×`;
const formatSeconds = (ms: number | undefined) =>
  ms === undefined ? "never" : `${(ms / 1_000).toFixed(1)} s`;

/** Everything that was measured, as text that is Markdown as well. */
export function renderReport(simulationRuns: RunsByStrategy, outages: readonly OutageMetrics[]): string {
  return [
    "## Live conditions",
    "",
    `${simulationRuns.hybrid.outcomes.length} requests in ${TIMELINE.end / 60_000} minutes for each strategy, seven models and one that comes later, against what one could have had who knew how every provider is doing:`,
    "",
    formatTable(
      [
        "strategy",
        "cost, of cheapest",
        "time, of fastest",
        "quality below best",
        "calls a request",
        "errors",
      ],
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
      [
        "how",
        "strategy",
        "errors",
        "after 2 s",
        "calls a request",
        "out after",
        "calls meanwhile",
        "back after",
      ],
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
      const measured = Number.isFinite(claimResult.measured)
        ? Number(claimResult.measured.toFixed(3))
        : "never";
      const word = isMet(claimResult) ? "holds" : "**is missed**";
      return `- ${claimResult.claim}: at most ${claimResult.limit}, measured ${measured}. The claim ${word}.`;
    }),
    "",
  ].join("\n");
}

/** The regret of every strategy over time as a picture. */
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
