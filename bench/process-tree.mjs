// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** A process and everything it started, itself first. @param {number} root */
export function treeOf(root) {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  const tree = [root];
  // The list grows while it is walked, so that children of children are found too.
  for (const pid of tree) tree.push(...parents.filter(({ parent }) => parent === pid).map((child) => child.pid));
  return tree;
}

/** @param {string} pid */
function parentOf(pid) {
  // The second field is the program's name in brackets, and may itself hold anything.
  return Number(readProc(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[1]);
}

/** Whether a process of a gateway is its PostgreSQL. @param {number} pid */
export function isPostgres(pid) {
  return readProc(`/proc/${pid}/comm`).startsWith("postgres");
}

/** The memory of processes that is not paged out, in bytes. @param {readonly number[]} pids */
export function residentBytes(pids) {
  const kilobytes = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0));
  return kilobytes.reduce((sum, one) => sum + one * 1024, 0);
}

/** A process may end between being listed and being read: then it says nothing. @param {string} path */
export function readProc(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Ends what is left of processes whose parent is gone. @param {readonly number[]} pids */
export async function endOrphans(pids) {
  for (const pid of pids) while (interrupt(pid)) await wait(50);
}

/** Asks a process to end; PostgreSQL takes it as a fast shutdown. False where it has ended. @param {number} pid */
function interrupt(pid) {
  const state = readProc(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[0];
  if (state === "" || state === "Z") return false;
  try {
    return process.kill(pid, "SIGINT");
  } catch {
    // It ended in between.
    return false;
  }
}
