// @ts-check
import { writeFile } from "node:fs/promises";
import { barChart } from "./plots.mjs";
import { machineAt } from "./report.mjs";
import { ALONE, CORE_SHARE, LIMITED, NODE_24, ONE_WORKER, PROMPTS, STREAM, TWO_WORKERS, WHOLE } from "./speed.mjs";
import { digits, median, tableOf } from "./statistics.mjs";
import { DELTAS } from "./traffic.mjs";

/** @typedef {import("./speed.mjs").SpeedFigures} SpeedFigures */
/** @typedef {import("./speed-targets.mjs").SpeedSample} SpeedSample */

const COMPARED = ["nginx", "Portkey", ONE_WORKER, TWO_WORKERS, NODE_24];

/** The medians over the rounds. @param {SpeedFigures} figures */
function mediansOf({ samples, limited }) {
  return (/** @type {string} */ scenario, /** @type {string} */ target, /** @type {keyof SpeedSample} */ field) =>
    median(
      [...samples, ...limited]
        .filter((one) => one.scenario === scenario && one.target === target)
        .map((one) => Number(one[field] ?? Number.NaN)),
    );
}

/** @param {number} value @param {number} of */
const times = (value, of) => (Number.isNaN(value / of) ? "" : `${digits(value / of, 1)}×`);

/** The whole report as Markdown. @param {SpeedFigures} figures @param {number} loadBefore */
export function speedReportOf(figures, loadBefore) {
  const of = mediansOf(figures);
  const cpuRows = [WHOLE, ALONE, ...PROMPTS.map((size) => `prompts of ${size}`), STREAM].flatMap((scenario) =>
    COMPARED.filter((target) => !Number.isNaN(of(scenario, target, "cpuUs"))).map((target) => {
      const cpu = of(scenario, target, "cpuUs");
      return [
        scenario,
        target,
        digits(cpu, 0),
        target === "nginx" ? "" : times(cpu, of(scenario, "nginx", "cpuUs")),
        target === "nginx" || target === "Portkey" ? "" : digits(cpu / of(scenario, "Portkey", "cpuUs"), 2),
        target === "nginx" || target === "Portkey" ? "" : digits(of(scenario, target, "storeCpuUs"), 0),
        digits(of(scenario, target, "perSecond"), 0),
        digits(of(scenario, target, "p50Ms"), 2),
        digits(of(scenario, target, "p99Ms"), 2),
      ];
    }),
  );
  return [
    machineAt(loadBefore),
    ...figures.missing.map((sentence) => `\n${sentence}`),
    "",
    "![CPU time of a request](images/benchmark-cpu.svg)",
    "",
    ...tableOf(
      [
        "scenario",
        "through",
        "CPU µs/req",
        "of nginx's",
        "of Portkey's",
        "PostgreSQL CPU µs/req",
        "req/s",
        "p50 ms",
        "p99 ms",
      ],
      cpuRows,
      2,
    ),
    "",
    "### Added time at parts of the capacity",
    "",
    "![Added time](images/benchmark-added.svg)",
    "",
    ...tableOf(
      [
        "through",
        "of its capacity",
        "req/s",
        "added p50 ms",
        "added p99 ms",
        "without the charge p50 ms",
        "without the charge p99 ms",
        "its slowest round",
        "first requests p50 ms",
        "first requests p99 ms",
      ],
      pacedRows(figures),
      1,
    ),
    "",
    "### Streams",
    "",
    ...tableOf(
      [
        "through",
        "CPU µs/delta",
        "of nginx's",
        "first byte p50 ms, 16 at a time",
        "added to the first byte p50 ms, at half of its capacity",
        "memory at rest MB",
        "memory of a stream KB",
      ],
      streamRows(figures),
      1,
    ),
    "",
    "### A second worker",
    "",
    ...tableOf(
      ["through", "of a core for each worker", "req/s", "of one worker's", "p50 ms", "p99 ms"],
      limitedRows(figures),
      1,
    ),
    "",
    "### What a request makes, and where its time goes",
    "",
    `A plain request allocates ${digits(figures.objects.heapBytes / 1000, 0)} kB on the heap, and makes ${digits(figures.objects.promises, 0)} promises and ${digits(figures.objects.timers, 1)} timers.`,
    "",
    ...tableOf(
      ["part of the program", "CPU µs/req, with the profiler on"],
      figures.stages.map(([stage, us]) => [stage, digits(us, 0)]),
      1,
    ),
    "",
    `Start to ready: ${digits(figures.firstStartMs, 0)} ms the first time (makes the database), ${digits(figures.warmStartMs, 0)} ms after that. ` +
      `The ledgers hold each of the ${digits(figures.sent, 0)} requests sent through Trunkline, and every credit.`,
    "",
  ].join("\n");
}

/** What each target adds to the direct way at the same rate, measured right before: the medians over the rounds. @param {SpeedFigures["paced"]} paced */
function addedTimes(paced) {
  const own = paced.filter(({ scenario, target }) => scenario === target);
  return own
    .filter(({ round }) => round === 0)
    .map(({ target, share }) => {
      const rounds = own.filter((one) => one.target === target && one.share === share);
      const added = rounds.map((one) => {
        const direct = paced.find(
          ({ scenario, target, share, round }) =>
            scenario === one.scenario && target === "direct" && share === one.share && round === one.round,
        );
        return {
          p50Ms: one.p50Ms - (direct?.p50Ms ?? 0),
          p99Ms: one.p99Ms - (direct?.p99Ms ?? 0),
          apartP50Ms: (one.apartP50Ms ?? Number.NaN) - (direct?.p50Ms ?? 0),
          apartP99Ms: (one.apartP99Ms ?? Number.NaN) - (direct?.p99Ms ?? 0),
          firstByteMs: one.firstByteP50Ms - (direct?.firstByteP50Ms ?? 0),
        };
      });
      const of = (/** @type {keyof typeof added[0]} */ field) => median(added.map((one) => one[field]));
      return {
        target,
        share,
        perSecond: median(rounds.map(({ perSecond }) => perSecond)),
        addedP50Ms: of("p50Ms"),
        addedP99Ms: of("p99Ms"),
        apartP50Ms: of("apartP50Ms"),
        apartP99Ms: of("apartP99Ms"),
        worstApartP99Ms: Math.max(...added.map(({ apartP99Ms }) => apartP99Ms)),
        addedFirstByteMs: of("firstByteMs"),
        firstRequestP50Ms: median(rounds.map(({ firstRequestP50Ms }) => firstRequestP50Ms)),
        firstRequestP99Ms: median(rounds.map(({ firstRequestP99Ms }) => firstRequestP99Ms)),
      };
    });
}

/** @param {SpeedFigures} figures */
function pacedRows(figures) {
  return addedTimes(figures.paced).map((one) => [
    one.target,
    `${digits(one.share * 100, 0)} %`,
    digits(one.perSecond, 0),
    digits(one.addedP50Ms, 2),
    digits(one.addedP99Ms, 2),
    msOrNothing(one.apartP50Ms),
    msOrNothing(one.apartP99Ms),
    msOrNothing(one.worstApartP99Ms),
    digits(one.firstRequestP50Ms, 2),
    digits(one.firstRequestP99Ms, 2),
  ]);
}

/** Of those that charge nothing there is nothing to leave out. @param {number | undefined} ms */
const msOrNothing = (ms) => (ms === undefined || Number.isNaN(ms) ? "" : digits(ms, 2));

/** @param {SpeedFigures} figures */
function streamRows(figures) {
  const of = mediansOf(figures);
  const nginx = of(STREAM, "nginx", "cpuUs");
  const paced = addedTimes(figures.pacedStreams);
  return COMPARED.filter((target) => figures.memory.some((one) => one.target === target)).map((target) => {
    const cpu = of(STREAM, target, "cpuUs");
    const memory = figures.memory.find((one) => one.target === target);
    return [
      target,
      digits(cpu / DELTAS, 1),
      target === "nginx" ? "" : times(cpu, nginx),
      digits(of(STREAM, target, "firstByteP50Ms"), 2),
      msOrNothing(paced.find((one) => one.target === target)?.addedFirstByteMs),
      digits((memory?.restBytes ?? Number.NaN) / 1e6, 0),
      digits((memory?.bytesPerStream ?? Number.NaN) / 1e3, 0),
    ];
  });
}

/** @param {SpeedFigures} figures */
function limitedRows(figures) {
  const of = mediansOf(figures);
  return [ONE_WORKER, TWO_WORKERS]
    .filter((target) => !Number.isNaN(of(LIMITED, target, "perSecond")))
    .map((target) => [
      target,
      `${digits(CORE_SHARE * 100, 0)} %`,
      digits(of(LIMITED, target, "perSecond"), 0),
      target === ONE_WORKER ? "" : times(of(LIMITED, target, "perSecond"), of(LIMITED, ONE_WORKER, "perSecond")),
      digits(of(LIMITED, target, "p50Ms"), 0),
      digits(of(LIMITED, target, "p99Ms"), 0),
    ]);
}

/** Draws the charts of the documentation and of the README. @param {SpeedFigures} figures */
export async function savePlots(figures) {
  const of = mediansOf(figures);
  const cpuBars = COMPARED.map((name) => ({
    name,
    value: of(WHOLE, name, "cpuUs"),
    isOurs: name.startsWith(ONE_WORKER),
  }))
    .filter(({ value }) => !Number.isNaN(value))
    .map((bar) => ({ ...bar, label: `${digits(bar.value, 0)} µs` }));
  const addedBars = addedTimes(figures.paced).map(({ target, share, addedP50Ms }) => ({
    name: `${target}, ${digits(share * 100, 0)} %`,
    value: addedP50Ms,
    label: `${digits(addedP50Ms, 2)} ms`,
    isOurs: target === ONE_WORKER,
  }));
  await saveImage("benchmark-cpu.svg", barChart("CPU time of a request, 64 at a time", cpuBars));
  await saveImage("benchmark-added.svg", barChart("Added median time, at parts of each one's capacity", addedBars));
}

/** @param {string} name @param {string} svg */
async function saveImage(name, svg) {
  await writeFile(new URL(`../docs/images/${name}`, import.meta.url), svg);
}
