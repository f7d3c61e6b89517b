// @ts-check
/** What a decision of the router takes, in a process that does nothing else. */

import { machineAt } from "./report.mjs";
import { runProgram } from "./run-program.mjs";
import { digits, median, quantile, tableOf } from "./statistics.mjs";

/** @typedef {"whole" | "cpu" | "read" | "find" | "choose" | "reference"} Span */
/** @typedef {{ characters: number } & Record<Span, readonly number[]>} Round */

const LIMIT_MS = 120_000;
/** What is claimed of the longest prompt, in microseconds of the processor. */
const MEDIAN_CLAIM = 80;
const P99_CLAIM = 300;

/** @returns {Promise<Round[]>} */
export function measureDecisions() {
  return runProgram("decision", LIMIT_MS);
}

/** @param {readonly Round[]} rounds @param {number} loadBefore */
export function decisionReportOf(rounds, loadBefore) {
  const lengths = [...new Set(rounds.map(({ characters }) => characters))];
  const figures = lengths.map((characters) => figuresOf(rounds, characters));
  const heads = [
    "prompt",
    "median µs",
    "p99 µs",
    "CPU median µs",
    "CPU p99 µs",
    "of SHA-256 of 8 kB",
    "reading µs",
    "judging µs",
    "ranking µs",
  ];
  const rows = figures.map((each) => [
    `${digits(each.characters, 0)} characters`,
    digits(each.median, 1),
    digits(each.p99, 1),
    digits(each.cpuMedian, 0),
    digits(each.cpuP99, 0),
    `${digits(each.ratio, 2)}×`,
    digits(each.read, 1),
    digits(each.find, 1),
    digits(each.choose, 1),
  ]);
  const longest = figures.at(-1);
  return [
    machineAt(loadBefore),
    "",
    ...tableOf(heads, rows, 1),
    "",
    `SHA-256 of 8 kB took ${digits(median(figures.map(({ reference }) => reference)), 1)} µs in the same process.`,
    "",
    claimLine("The median", MEDIAN_CLAIM, longest?.cpuMedian ?? Number.NaN, longest?.characters ?? 0),
    claimLine("The 99th percentile", P99_CLAIM, longest?.cpuP99 ?? Number.NaN, longest?.characters ?? 0),
    "",
  ].join("\n");
}

/** Each figure is the median of those of the rounds, as the machine has moods. @param {readonly Round[]} rounds @param {number} characters */
function figuresOf(rounds, characters) {
  const own = rounds.filter((round) => round.characters === characters);
  const of = (/** @type {Span} */ span, /** @type {number} */ share) =>
    median(own.map((round) => quantile(round[span], share)));
  return {
    characters,
    median: of("whole", 0.5),
    p99: of("whole", 0.99),
    cpuMedian: of("cpu", 0.5),
    cpuP99: of("cpu", 0.99),
    read: of("read", 0.5),
    find: of("find", 0.5),
    choose: of("choose", 0.5),
    reference: of("reference", 0.5),
    ratio: median(own.map((round) => quantile(round.whole, 0.5) / quantile(round.reference, 0.5))),
  };
}

/** @param {string} what @param {number} claim @param {number} measured @param {number} characters */
function claimLine(what, claim, measured, characters) {
  const verdict = measured <= claim ? "holds" : "**is missed**";
  return `- ${what} with ${digits(characters, 0)} characters: claimed at most ${claim} µs of CPU, measured ${digits(measured, 0)} µs. The claim ${verdict}.`;
}
