// @ts-check
import { readFile, writeFile } from "node:fs/promises";
import { cpus, release } from "node:os";
import { digits, median, tableOf } from "./statistics.mjs";

/**
 * @typedef {object} Sample One target under one scenario, once.
 * @property {string} scenario
 * @property {string} target
 * @property {number} requests
 * @property {number} perSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} firstByteP50Ms
 * @property {number | undefined} cpuUs Microseconds a request.
 * @property {number | undefined} storeCpuUs
 * @property {number} [settleP50Ms]
 */
/**
 * @typedef {object} Circumstances
 * @property {number} loadBefore The machine's load average before the bench put any on it.
 * @property {number} warmUpRequests
 * @property {number} firstStartMs
 * @property {readonly number[]} warmStartsMs
 * @property {number} booked How many requests the ledger holds: exactly those that were sent.
 */

/** A load average from which on something else takes a noticeable part of the processors. */
const BUSY_LOAD = 0.5;

/** The whole report as Markdown. @param {readonly Sample[]} samples @param {Circumstances} circumstances */
export function reportOf(samples, circumstances) {
  const { loadBefore, warmUpRequests, firstStartMs, warmStartsMs, booked } = circumstances;
  const heads = ["scenario", "through", "CPU µs/req", "of nginx's", "PostgreSQL CPU µs/req", "req/s"];
  heads.push("p50 ms", "p99 ms", "added p50 ms", "added p99 ms", "first byte p50 ms");
  const rows = [];
  for (const scenario of new Set(samples.map((sample) => sample.scenario))) {
    for (const target of new Set(samples.map((sample) => sample.target))) {
      rows.push(rowOf(samples, scenario, target));
    }
  }
  return [
    machineAt(loadBefore),
    "",
    ...tableOf(heads, rows, 2),
    "",
    `Start to ready: ${digits(firstStartMs, 0)} ms the first time (makes the database), ${digits(median(warmStartsMs), 0)} ms after that. ` +
      `Warmed up with ${digits(warmUpRequests, 0)} requests. ` +
      `The ledger holds each of the ${digits(booked, 0)} requests sent through Trunkline, and every credit.`,
    "",
  ].join("\n");
}

/** When and where this was measured, and whether the machine had other work. @param {number} loadBefore */
export function machineAt(loadBefore) {
  const processor = cpus()[0]?.model.trim() ?? "unknown processor";
  const busy = loadBefore > BUSY_LOAD ? `, **busy with other work** (load ${loadBefore.toFixed(1)}): provisional` : "";
  return `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${processor} (${process.arch}), Linux ${release()}, Node ${process.version}${busy}.`;
}

/** Puts a report under a heading of the documentation, in place of the last one. @param {string} report @param {string} [heading] */
export async function saveReport(report, heading = "## Figures") {
  const page = new URL("../docs/benchmarks.md", import.meta.url);
  const text = await readFile(page, "utf8");
  const start = text.indexOf(`${heading}\n`) + heading.length + 1;
  const next = text.indexOf("\n## ", start);
  await writeFile(page, `${text.slice(0, start)}\n${report}${next === -1 ? "" : text.slice(next)}`);
}

/** @param {readonly Sample[]} samples @param {string} scenario @param {string} target */
function rowOf(samples, scenario, target) {
  const of = (/** @type {string} */ name) =>
    samples.filter((sample) => sample.scenario === scenario && sample.target === name);
  const own = of(target);
  /** The median over the rounds of what the rounds differ by, as neighbours in time share the machine's mood. */
  const added = (/** @type {"p50Ms" | "p99Ms"} */ field) =>
    median(of("direct").map((direct, round) => (own[round]?.[field] ?? Number.NaN) - direct[field]));
  const cpu = median(own.map((sample) => sample.cpuUs ?? Number.NaN));
  const nginxCpu = median(of("nginx").map((sample) => sample.cpuUs ?? Number.NaN));
  const isDirect = target === "direct";
  return [
    scenario,
    target,
    digits(cpu, 0),
    isDirect ? "" : `${digits(cpu / nginxCpu, 1)}×`,
    digits(median(own.map((sample) => sample.storeCpuUs ?? Number.NaN)), 0),
    digits(median(own.map((sample) => sample.perSecond)), 0),
    digits(median(own.map((sample) => sample.p50Ms)), 2),
    digits(median(own.map((sample) => sample.p99Ms)), 2),
    isDirect ? "" : digits(added("p50Ms"), 2),
    isDirect ? "" : digits(added("p99Ms"), 2),
    digits(median(own.map((sample) => sample.firstByteP50Ms)), 2),
  ];
}
