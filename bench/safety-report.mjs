// @ts-check
/** What the safety check takes, in a process that does nothing else. */

import { machineAt } from "./report.mjs";
import { runProgram } from "./run-program.mjs";
import { digits, median, quantile, tableOf } from "./statistics.mjs";

/** @typedef {"normalising" | "examining" | "reference"} Span */
/** @typedef {{ characters: number } & Record<Span, readonly number[]>} Round */
/** @typedef {{ name: string, cpu: number, longest: number }} Long */
/** @typedef {{ characters: number, deltas: number, judged: number, bare: number }} Streamed */
/** @typedef {{ rounds: readonly Round[], longs: readonly Long[], answers: readonly Long[], streamed: Streamed }} Measured */

const LIMIT_MS = 240_000;
/** What is claimed, in microseconds of the processor. */
const CLAIMS = [
  { characters: 100, median: 30 },
  { characters: 2_000, median: 350, p99: 1_500 },
];
const LONGEST_CLAIM = 5_000;
const HARDEST_SHOWN = 5;

/** @returns {Promise<Measured>} */
export function measureSafety() {
  return runProgram("safety", LIMIT_MS);
}

/** @param {Measured} measured @param {number} loadBefore */
export function safetyReportOf({ rounds, longs, answers, streamed }, loadBefore) {
  const lengths = [...new Set(rounds.map(({ characters }) => characters))];
  const figures = lengths.map((characters) => figuresOf(rounds, characters));
  const heads = ["text", "CPU median µs", "CPU p99 µs", "of it normalising, median µs", "of SHA-256 of 8 kB"];
  const rows = figures.map((each) => [
    `${digits(each.characters, 0)} characters`,
    digits(each.median, 0),
    digits(each.p99, 0),
    digits(each.normalising, 0),
    `${digits(each.median / each.reference, 1)}×`,
  ]);
  const longest = Math.max(...[...longs, ...answers].map((long) => long.longest));
  return [
    machineAt(loadBefore),
    "",
    ...tableOf(heads, rows, 1),
    "",
    `SHA-256 of 8 kB took ${digits(median(figures.map(({ reference }) => reference)), 0)} µs of CPU in the same process.`,
    "",
    ...longTable("a million characters of", longs),
    "",
    ...longTable("one part of an answer, 200,000 characters of", answers),
    "",
    `A stream of ${streamed.characters} characters in ${streamed.deltas} deltas took ${digits(streamed.judged - streamed.bare, 0)} µs of CPU more with its answer judged than without.`,
    "",
    ...CLAIMS.flatMap((claim) => claimLines(claim, figures)),
    claimLine("The longest time without a turn for others", LONGEST_CLAIM, longest),
    "",
  ].join("\n");
}

/** Ordinary text and the hardest. @param {string} what @param {readonly Long[]} longs */
function longTable(what, longs) {
  const ordinary = longs.slice(0, 1);
  const hardest = longs.toSorted((a, b) => b.cpu - a.cpu).slice(0, HARDEST_SHOWN);
  return tableOf(
    [what, "CPU ms", "longest without a turn for others, ms"],
    [...ordinary, ...hardest.filter((long) => !ordinary.includes(long))].map(({ name, cpu, longest }) => [
      name,
      digits(cpu / 1_000, 0),
      digits(longest / 1_000, 1),
    ]),
    1,
  );
}

/** Each figure is the median of those of the rounds, as the machine has moods. @param {readonly Round[]} rounds @param {number} characters */
function figuresOf(rounds, characters) {
  const own = rounds.filter((round) => round.characters === characters);
  const of = (/** @type {Span} */ span, /** @type {number} */ share) =>
    median(own.map((round) => quantile(round[span], share)));
  return {
    characters,
    median: of("examining", 0.5),
    p99: of("examining", 0.99),
    normalising: of("normalising", 0.5),
    reference: of("reference", 0.5),
  };
}

/** @param {{ characters: number, median: number, p99?: number }} claim @param {readonly ReturnType<typeof figuresOf>[]} figures */
function claimLines(claim, figures) {
  const own = figures.find(({ characters }) => characters === claim.characters);
  const text = `with ${digits(claim.characters, 0)} characters`;
  const lines = [claimLine(`The median ${text}`, claim.median, own?.median ?? Number.NaN)];
  if (claim.p99 !== undefined) lines.push(claimLine(`The 99th percentile ${text}`, claim.p99, own?.p99 ?? Number.NaN));
  return lines;
}

/** @param {string} what @param {number} claim @param {number} measured */
function claimLine(what, claim, measured) {
  const verdict = measured <= claim ? "holds" : "**is missed**";
  return `- ${what}: claimed at most ${digits(claim, 0)} µs of CPU, measured ${digits(measured, 0)} µs. The claim ${verdict}.`;
}
