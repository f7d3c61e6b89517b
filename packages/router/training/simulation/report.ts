import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import { overTime, type Summary, summarise } from "./measures.ts";
import { drawPlot } from "./plot.ts";
import { MOMENTS } from "./scenarios.ts";
import { holds, judge } from "./targets.ts";
import { type OutageFigures, type Runs, reactionsOf } from "./trials.ts";
import { sparkline, writeTable } from "./write-table.ts";

const PICTURE_SPAN_MS = 5_000;
const LINE_SPAN_MS = 10_000;

/** What a strategy wants, as something that is 0 where it could not have done better. */
const REGRET: Readonly<
  Record<Strategy, { readonly name: string; readonly of: (summary: Summary) => number }>
> = {
  "cost-optimized": { name: "paid too much", of: ({ costOfCheapest }) => costOfCheapest - 1 },
  "speed-optimized": { name: "took too long", of: ({ timeOfFastest }) => timeOfFastest - 1 },
  "quality-optimized": { name: "below the best", of: ({ qualityBelowBest }) => qualityBelowBest },
  hybrid: { name: "below the best", of: ({ qualityBelowBest }) => qualityBelowBest },
};
const MOST_REGRET = 1;
const MOST_QUALITY_REGRET = 0.3;

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const times = (ratio: number) => `${ratio.toFixed(2)}×`;
const seconds = (ms: number | undefined) => (ms === undefined ? "never" : `${(ms / 1_000).toFixed(1)} s`);

/** Everything that was measured, as text that is Markdown as well. */
export function writeReport(runs: Runs, outages: readonly OutageFigures[]): string {
  return [
    "## Live conditions",
    "",
    `${runs.hybrid.outcomes.length} requests in ${MOMENTS.end / 60_000} minutes for each strategy, seven models and one that comes later, against what one could have had who knew how every provider is doing:`,
    "",
    writeTable(
      [
        "strategy",
        "cost, of cheapest",
        "time, of fastest",
        "quality below best",
        "calls a request",
        "errors",
      ],
      STRATEGIES.map((strategy) => rowOf(strategy, summarise(runs[strategy].outcomes))),
    ),
    "",
    "How the strategy that each change concerns met it:",
    "",
    writeTable(
      ["change", "strategy", "calls it still got", "taken after"],
      reactionsOf(runs).map(({ change, strategy, badCalls, takenAfterMs }) => [
        change,
        strategy,
        badCalls === undefined ? "" : `${badCalls}`,
        badCalls === undefined ? seconds(takenAfterMs) : "",
      ]),
      2,
    ),
    "",
    `Regret over time, ${LINE_SPAN_MS / 1_000} s a bar:`,
    "",
    ...STRATEGIES.map((strategy) => sparkOf(runs, strategy)),
    "",
    "## One of three fails completely for a minute",
    "",
    writeTable(
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
        seconds(outage.backAfterMs),
      ]),
      2,
    ),
    "",
    "## Claims",
    "",
    ...judge(runs, outages).map((verdict) => {
      const measured = Number.isFinite(verdict.measured) ? Number(verdict.measured.toFixed(3)) : "never";
      const word = holds(verdict) ? "holds" : "**is missed**";
      return `- ${verdict.claim}: at most ${verdict.most}, measured ${measured}. The claim ${word}.`;
    }),
    "",
  ].join("\n");
}

/** The regret of every strategy over time as a picture. */
export function drawReport(runs: Runs): string {
  const lines = (measure: (summary: Summary) => number) =>
    STRATEGIES.map((strategy) => ({
      name: strategy,
      values: overTime(runs[strategy], PICTURE_SPAN_MS, measure),
    }));
  const { turns, arrivals } = runs.hybrid.scenario;
  const marks = [
    ...turns.map(({ atMs, name }) => ({ at: atMs / MOMENTS.end, name })),
    ...Object.entries(arrivals).map(([name, atMs]) => ({ at: atMs / MOMENTS.end, name: `${name} arrives` })),
  ];
  return drawPlot(
    "What the router had against the best that could be had",
    [
      { title: "cost, of the cheapest", lines: lines(({ costOfCheapest }) => costOfCheapest), most: 4 },
      { title: "time, of the fastest", lines: lines(({ timeOfFastest }) => timeOfFastest), most: 6 },
      {
        title: "quality below the best",
        lines: lines(({ qualityBelowBest }) => qualityBelowBest),
        most: 0.4,
      },
    ],
    marks,
  );
}

function rowOf(strategy: Strategy, summary: Summary): string[] {
  return [
    strategy,
    times(summary.costOfCheapest),
    times(summary.timeOfFastest),
    summary.qualityBelowBest.toFixed(3),
    summary.attemptsPerRequest.toFixed(3),
    `${summary.errors}`,
  ];
}

function sparkOf(runs: Runs, strategy: Strategy): string {
  const { name, of } = REGRET[strategy];
  const isQuality = of === REGRET["quality-optimized"].of || strategy === "hybrid";
  const most = isQuality ? MOST_QUALITY_REGRET : MOST_REGRET;
  const line = sparkline(overTime(runs[strategy], LINE_SPAN_MS, of), most);
  return `    ${strategy.padEnd(18)}${line}  ${name}, full at ${isQuality ? most : percent(most)}`;
}
