// @ts-check
/** `npm run bench -- --quick`: within a minute, whether a part of a request has become dearer than its budget. */
import { readFile } from "node:fs/promises";
import { checkLedger } from "./check-ledger.mjs";
import { machineAt } from "./report.mjs";
import { measureObjects, measureStages, startSpeed } from "./speed.mjs";
import { chatOrder, gatewayTarget, nginxTarget, sample, warmUp } from "./speed-targets.mjs";
import { digits, median, tableOf } from "./statistics.mjs";
import { DELTAS, STREAMED_MODEL } from "./traffic.mjs";

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {{ stage: string, mostOfNginx?: number, most?: number }} Budget As a share of what nginx takes for the same, or as a plain number. */
/** @typedef {{ stage: string, value: number, ofNginx: number }} Stage */

const ROUNDS = 3;
/** Less than V8 needs for all of the code: the budgets are what a process takes by then. */
const WARM_UP = { requests: 8_000, streams: 600 };
const PROFILE_MS = 4_000;

/** Prints what each stage takes, and fails where one is over its budget. @param {Stand} stand @param {number} loadBefore */
export async function checkBudgets(stand, loadBefore) {
  const stages = await measureQuickly(stand);
  /** @type {readonly Budget[]} */
  const budgets = JSON.parse(await readFile(new URL("budgets.json", import.meta.url), "utf8"));
  const over = [];
  const rows = [];
  for (const { stage, value, ofNginx } of stages) {
    const budget = budgets.find((one) => one.stage === stage);
    const isOver = value > (budget?.most ?? Number.POSITIVE_INFINITY) || ofNginx > (budget?.mostOfNginx ?? Infinity);
    const allowed =
      budget?.mostOfNginx === undefined ? digits(budget?.most ?? Number.NaN, 0) : `${budget.mostOfNginx}×`;
    const times = Number.isNaN(ofNginx) ? "" : `${digits(ofNginx, 1)}×`;
    rows.push([stage, digits(value, value < 10 ? 1 : 0), times, allowed, isOver ? "OVER" : ""]);
    if (isOver) over.push(`${stage}: ${times || digits(value, 0)}, and its budget is ${allowed}`);
  }
  for (const { stage } of budgets)
    if (!stages.some((one) => one.stage === stage)) process.stdout.write(`Nothing was measured of "${stage}".\n`);
  const heads = ["stage", "µs or number", "of nginx's", "budget", ""];
  process.stdout.write(`\n${machineAt(loadBefore)}\n\n${tableOf(heads, rows, 1).join("\n")}\n\n`);
  if (over.length === 0) {
    process.stdout.write("All budgets are kept.\n");
    return;
  }
  process.stderr.write(`OVER BUDGET, see bench/budgets.json:\n${over.map((line) => `  ${line}`).join("\n")}\n`);
  process.exitCode = 1;
}

/** @param {Stand} stand @returns {Promise<Stage[]>} */
async function measureQuickly(stand) {
  await stand.open();
  const gateway = await startSpeed(stand, { data: "speed-1" });
  const ours = gatewayTarget("Trunkline", gateway);
  const nginx = nginxTarget(stand);
  await warmUp(stand, ours, WARM_UP);
  const stream = { model: STREAMED_MODEL, stream: true };
  const scenarios = [
    { stage: "whole request, 64 at a time", what: {}, connections: 64, forMs: 1_500, each: 1 },
    { stage: "whole request, 1 at a time", what: {}, connections: 1, forMs: 1_000, each: 1 },
    { stage: "one delta of a stream", what: stream, connections: 16, forMs: 1_000, each: DELTAS },
  ];
  /** @type {Map<string, { ours: number[], nginx: number[] }>} */
  const cpu = new Map(scenarios.map(({ stage }) => [stage, { ours: [], nginx: [] }]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { stage, what, connections, forMs, each } of scenarios) {
      for (const target of [nginx, ours]) {
        const { cpuUs } = await sample(stand, target, { ...chatOrder(target, what), connections, forMs });
        cpu.get(stage)?.[target === ours ? "ours" : "nginx"].push(cpuUs / each);
      }
    }
  }
  const totals = [...cpu].map(([stage, measured]) => {
    const value = median(measured.ours);
    return { stage, value, ofNginx: value / median(measured.nginx) };
  });
  const nginxUs = median(cpu.get("whole request, 64 at a time")?.nginx ?? []);
  const parts = await measureStages(stand, ours, PROFILE_MS);
  const { heapBytes, promises, timers } = await measureObjects(stand, ours);
  await checkLedger(gateway.url, ours.sent);
  await gateway.stop();
  return [
    ...totals,
    ...parts.map(([stage, us]) => ({ stage, value: us, ofNginx: us / nginxUs })),
    { stage: "heap bytes a request", value: heapBytes, ofNginx: Number.NaN },
    { stage: "promises a request", value: promises, ofNginx: Number.NaN },
    { stage: "timers a request", value: timers, ofNginx: Number.NaN },
  ];
}
