// @ts-check
import { readdirSync } from "node:fs";
import { readProc, treeOf } from "./process-tree.mjs";

/** @typedef {ReadonlyMap<number, number>} CpuReading Nanoseconds on a processor so far, by process id. */

/**
 * What a process and everything it started have used of the processors so far, user and system together. Read from the
 * scheduler, which counts in nanoseconds: the usual `/proc/<pid>/stat` counts in hundredths of a second.
 * @param {number} root @returns {CpuReading}
 */
export function readCpu(root) {
  return new Map(treeOf(root).map((pid) => [pid, nanosecondsOf(pid)]));
}

/**
 * The microseconds between two readings, of the processes that `counts` names.
 * @param {CpuReading} before @param {CpuReading} after @param {(pid: number) => boolean} counts
 */
export function cpuBetween(before, after, counts) {
  let nanoseconds = 0;
  for (const [pid, until] of after) if (counts(pid)) nanoseconds += until - (before.get(pid) ?? 0);
  return nanoseconds / 1000;
}

/** @param {number} pid */
function nanosecondsOf(pid) {
  let sum = 0;
  for (const thread of list(`/proc/${pid}/task`)) {
    sum += Number(readProc(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]);
  }
  return sum;
}

/** @param {string} path */
function list(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
