// @ts-check
import { readFile, writeFile } from "node:fs/promises";
import { cpus, release } from "node:os";

/** A load average from which on something else takes a noticeable part of the processors. */
const BUSY_LOAD = 0.5;

/** When and where this was measured, and whether the machine had other work. @param {number} loadBefore */
export function machineAt(loadBefore) {
  const processor = cpus()[0]?.model.trim() ?? "unknown processor";
  const busy = loadBefore > BUSY_LOAD ? `, **busy with other work** (load ${loadBefore.toFixed(1)}): provisional` : "";
  return `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${processor} (${process.arch}), Linux ${release()}, Node ${process.version}${busy}.`;
}

/** Puts a report under a heading of the documentation, in place of the last one. @param {string} report @param {string} heading */
export async function saveReport(report, heading) {
  const page = new URL("../docs/benchmarks.md", import.meta.url);
  const text = await readFile(page, "utf8");
  const start = text.indexOf(`${heading}\n`) + heading.length + 1;
  const next = text.indexOf("\n## ", start);
  await writeFile(page, `${text.slice(0, start)}\n${report}${next === -1 ? "" : text.slice(next)}`);
}
