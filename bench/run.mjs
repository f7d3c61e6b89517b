// @ts-check
/**
 * Measures what the gateway costs: everything on, against a bare nginx proxy, Portkey's gateway and no proxy at all; then
 * what of that the money costs, against the same gateway without a ledger; then what other wire formats cost, against
 * our own; then what a decision of the router takes, and what the safety check takes. `npm run bench`, and
 * `npm run bench -- --save` to put the figures into docs/benchmarks.md; with `--speed`, `--money`, `--wires`, `--decide`
 * or `--safety` that part alone; with `--quick` whether each part of a request is within its budget.
 */
import { loadavg } from "node:os";
import { decisionReportOf, measureDecisions } from "./decide.mjs";
import { measureMoney } from "./money.mjs";
import { moneyReportOf } from "./money-report.mjs";
import { checkBudgets } from "./quick.mjs";
import { saveReport } from "./report.mjs";
import { measureSafety, safetyReportOf } from "./safety-report.mjs";
import { measureSpeed } from "./speed.mjs";
import { savePlots, speedReportOf } from "./speed-report.mjs";
import { onStand } from "./stand.mjs";
import { measureWires, wiresReportOf } from "./wires.mjs";

/** Several times what it takes on a quiet machine. */
const LIMIT_MS = 2_400_000;

/** @typedef {import("./stand.mjs").Stand} Stand */

const isSaving = process.argv.includes("--save");
// What the bench itself puts on the machine does not count.
const loadBefore = loadavg()[0] ?? 0;

/** @param {string} report @param {string} heading */
async function publish(report, heading) {
  process.stdout.write(`\n${report}`);
  if (isSaving) await saveReport(report, heading);
}

/** @param {Stand} stand */
async function benchSpeed(stand) {
  const figures = await measureSpeed(stand);
  await publish(speedReportOf(figures, loadBefore), "## Figures");
  if (isSaving) await savePlots(figures);
}

/** @param {Stand} stand */
async function benchMoney(stand) {
  await publish(moneyReportOf(await measureMoney(stand), loadBefore), "## Figures of the money");
}

/** @param {Stand} stand */
async function benchWires(stand) {
  await publish(wiresReportOf(await measureWires(stand), loadBefore), "## Wire formats");
}

async function benchDecisions() {
  await publish(decisionReportOf(await measureDecisions(), loadBefore), "## Decisions of the router");
}

async function benchSafety() {
  await publish(safetyReportOf(await measureSafety(), loadBefore), "## The safety check");
}

/** Whether a part needs the upstreams and nginx, and what it does. @type {readonly (readonly [flag: string, needsStand: boolean, bench: (stand: Stand) => Promise<void>])[]} */
const PARTS = [
  ["--speed", true, benchSpeed],
  ["--money", true, benchMoney],
  ["--wires", true, benchWires],
  ["--decide", false, benchDecisions],
  ["--safety", false, benchSafety],
];

await onStand(LIMIT_MS, async (stand) => {
  if (process.argv.includes("--quick")) return checkBudgets(stand, loadBefore);
  const asked = PARTS.filter(([flag]) => process.argv.includes(flag));
  const parts = asked.length === 0 ? PARTS : asked;
  if (parts.some(([, needsStand]) => needsStand)) await stand.open();
  for (const [, , bench] of parts) await bench(stand);
});
