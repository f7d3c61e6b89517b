// @ts-check
import { CALM_SCENARIO, WITH_LEDGER, WITHOUT_LEDGER } from "./money.mjs";
import { machineAt } from "./report.mjs";
import { digits, median, tableOf } from "./statistics.mjs";

/** @typedef {import("./money.mjs").MoneySamples} MoneySamples */
/** @typedef {import("./measure.mjs").Sample} Sample */

/** The claims about money: at most this multiple of the figure it is compared with. */
const CPU_CLAIM = 1.3;
const WAIT_CLAIM = 1.5;

/** What the money costs, as Markdown, and whether it is what is claimed. @param {MoneySamples} money @param {number} loadBefore */
export function moneyReportOf({ samples, commitsMs, booked }, loadBefore) {
  const scenarios = [...new Set(samples.map((sample) => sample.scenario))];
  const figures = scenarios.map((scenario) => figuresOf(samples, commitsMs, scenario));
  const heads = ["scenario", "CPU µs/req", "without a ledger", "ratio", "p50 ms", "without a ledger"];
  heads.push("added p50 ms", "charge p50 ms", "in bare commits");
  const calm = figures.filter(({ scenario }) => scenario === CALM_SCENARIO);
  const commits = commitsMs.flat();
  return [
    machineAt(loadBefore),
    "",
    ...tableOf(heads, figures.map(rowOf), 1),
    "",
    `One bare commit takes ${digits(median(commits), 2)} ms, the median of ${digits(commits.length, 0)}.`,
    "",
    claimLine(
      "The gateway's CPU per request, against the same gateway without a ledger",
      CPU_CLAIM,
      figures,
      "cpuRatio",
    ),
    claimLine(
      "The charge, from the last piece of the answer until it is on disk, against one bare commit",
      WAIT_CLAIM,
      calm,
      "waitRatio",
    ),
    "",
    `The ledger holds each of the ${digits(booked, 0)} requests sent to the gateway with a ledger, and every credit; the other's holds none.`,
    "",
  ].join("\n");
}

/** @typedef {ReturnType<typeof figuresOf>} Figures */

/** @param {readonly Sample[]} samples @param {readonly (readonly number[])[]} commitsMs @param {string} scenario */
function figuresOf(samples, commitsMs, scenario) {
  const of = (/** @type {string} */ target) =>
    samples.filter((sample) => sample.scenario === scenario && sample.target === target);
  const own = of(WITH_LEDGER);
  const others = of(WITHOUT_LEDGER);
  const cpu = (/** @type {Sample | undefined} */ sample) => sample?.cpuUs ?? Number.NaN;
  const settle = (/** @type {Sample} */ sample) => sample.settleP50Ms ?? Number.NaN;
  // Ratios are taken within a round and not of the medians, as neighbours in time share the machine's mood.
  return {
    scenario,
    cpuUs: median(own.map(cpu)),
    otherCpuUs: median(others.map(cpu)),
    cpuRatio: median(own.map((sample, round) => cpu(sample) / cpu(others[round]))),
    p50Ms: median(own.map((sample) => sample.p50Ms)),
    otherP50Ms: median(others.map((sample) => sample.p50Ms)),
    addedMs: median(own.map((sample, round) => sample.p50Ms - (others[round]?.p50Ms ?? Number.NaN))),
    settleMs: median(own.map(settle)),
    waitRatio: median(own.map((sample, round) => settle(sample) / median(commitsMs[round] ?? []))),
  };
}

/** @param {Figures} figures */
function rowOf(figures) {
  return [
    figures.scenario,
    digits(figures.cpuUs, 0),
    digits(figures.otherCpuUs, 0),
    times(figures.cpuRatio),
    digits(figures.p50Ms, 2),
    digits(figures.otherP50Ms, 2),
    digits(figures.addedMs, 2),
    digits(figures.settleMs, 2),
    times(figures.waitRatio),
  ];
}

/** @param {string} what @param {number} claim @param {readonly Figures[]} figures @param {"cpuRatio" | "waitRatio"} field */
function claimLine(what, claim, figures, field) {
  const worst = Math.max(...figures.map((each) => each[field]));
  const verdict = worst <= claim ? "holds" : "**is missed**";
  return `- ${what}: claimed at most ${times(claim)}, measured ${times(worst)} at the worst. The claim ${verdict}.`;
}

/** @param {number} ratio */
function times(ratio) {
  return `${digits(ratio, 2)}×`;
}
