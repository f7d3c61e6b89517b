// @ts-check
/**
 * Measures what the gateway costs: everything on, against a bare nginx proxy and against no proxy at all; then what of
 * that the money costs, against the same gateway without a ledger; then what other wire formats cost, against our own;
 * then what a decision of the router takes, and what the safety check takes. `npm run bench`, and `npm run bench -- --save` to put the
 * figures into docs/benchmarks.md; with `--money`, `--wires`, `--decide` or `--safety` that part alone.
 */
import { loadavg } from "node:os";
import { checkLedger } from "./check-ledger.mjs";
import { decisionReportOf, measureDecisions } from "./decide.mjs";
import { measure } from "./measure.mjs";
import { measureMoney } from "./money.mjs";
import { moneyReportOf } from "./money-report.mjs";
import { reportOf, saveReport } from "./report.mjs";
import { measureSafety, safetyReportOf } from "./safety-report.mjs";
import { KEY, onStand } from "./stand.mjs";
import { STREAM_REQUEST, WHOLE_REQUEST } from "./traffic.mjs";
import { measureWires, wiresReportOf } from "./wires.mjs";

const ROUNDS = 3;
const ROUND_MS = 1_100;
/** About how many requests V8 needs until it has optimised the code. */
const WARM_UP_REQUESTS = 12_000;
const WARM_UP_MS = 12_000;
const STREAM_WARM_UP_MS = 1_500;
const WARM_STARTS = 3;
const WHOLE_BENCH_MS = 300_000;

const whole = { path: "/v1/ai/request", body: WHOLE_REQUEST, mark: '"output"', forMs: ROUND_MS };
const stream = { path: "/v1/stream", body: STREAM_REQUEST, mark: '"done"', forMs: ROUND_MS };
const SCENARIOS = [
  { name: "whole answer, 1 at a time", connections: 1, ...whole },
  { name: "whole answer, 16 at a time", connections: 16, ...whole },
  { name: "whole answer, 64 at a time", connections: 64, ...whole },
  { name: "stream of 20 deltas, 16 at a time", connections: 16, ...stream },
];

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {import("./measure.mjs").Target} Target */

/** @param {Stand} stand */
async function bench(stand) {
  const startedAt = performance.now();
  const loadBefore = loadavg()[0] ?? 0;
  await stand.open();
  const { firstStartMs, warmStartsMs, gateway } = await measureStarts(stand);
  /** @type {Target[]} */
  const targets = [
    {
      name: "direct",
      pid: undefined,
      portFor: ({ path }) => (path === stream.path ? stand.dripPort : stand.wholePort),
    },
    { name: "nginx", pid: stand.proxyPid, portFor: () => stand.proxyPort },
    { name: "Trunkline", pid: gateway.pid, portFor: () => gateway.port },
  ];
  const warmUpRequests = await warmUp(stand, gateway.port);
  let booked = warmUpRequests;
  const samples = [];
  for (let round = 1; round <= ROUNDS; round++) {
    process.stdout.write(`Round ${round} of ${ROUNDS}.\n`);
    for (const scenario of SCENARIOS) {
      for (const target of targets) {
        const sample = await measure(stand, scenario, target);
        if (target.pid === gateway.pid) booked += sample.requests;
        samples.push(sample);
      }
    }
  }
  await checkLedger(gateway.url, booked);
  await gateway.stop();
  const money = await measureMoney(stand);
  const circumstances = { loadBefore, warmUpRequests, firstStartMs, warmStartsMs, booked };
  const report = `${reportOf(samples, circumstances)}\n${moneyReportOf(money)}`;
  process.stdout.write(`\n${report}\nTook ${Math.round((performance.now() - startedAt) / 1000)} s.\n`);
  if (process.argv.includes("--save")) await saveReport(report);
}

/** @param {Stand} stand */
async function benchWires(stand) {
  await stand.open();
  await reportWires(stand, loadavg()[0] ?? 0);
}

/** @param {Stand} stand @param {number} loadBefore */
async function reportWires(stand, loadBefore) {
  const report = wiresReportOf(await measureWires(stand), loadBefore);
  process.stdout.write(`\n${report}`);
  if (process.argv.includes("--save")) await saveReport(report, "## Wire formats");
}

async function benchDecisions() {
  const loadBefore = loadavg()[0] ?? 0;
  const report = decisionReportOf(await measureDecisions(), loadBefore);
  process.stdout.write(`\n${report}`);
  if (process.argv.includes("--save")) await saveReport(report, "## Decisions of the router");
}

async function benchSafety() {
  const loadBefore = loadavg()[0] ?? 0;
  const report = safetyReportOf(await measureSafety(), loadBefore);
  process.stdout.write(`\n${report}`);
  if (process.argv.includes("--save")) await saveReport(report, "## The safety check");
}

/** @param {Stand} stand */
async function measureStarts(stand) {
  const first = await stand.startGateway();
  const warmStartsMs = [];
  let gateway = first;
  for (let start = 0; start < WARM_STARTS; start++) {
    await gateway.stop();
    gateway = await stand.startGateway();
    warmStartsMs.push(gateway.readyMs);
  }
  return { firstStartMs: first.readyMs, warmStartsMs, gateway };
}

/** How many requests it took. @param {Stand} stand @param {number} port */
async function warmUp(stand, port) {
  const order = { port, key: KEY, connections: 64, atMost: WARM_UP_REQUESTS };
  const wholes = await stand.load({ ...order, ...whole, forMs: WARM_UP_MS });
  const streams = await stand.load({ ...order, ...stream, forMs: STREAM_WARM_UP_MS });
  return wholes.requests + streams.requests;
}

/** @param {Stand} stand */
async function benchMoney(stand) {
  await stand.open();
  process.stdout.write(`\n${moneyReportOf(await measureMoney(stand))}`);
}

/** @param {Stand} stand */
async function benchEverything(stand) {
  const loadBefore = loadavg()[0] ?? 0;
  await bench(stand);
  await reportWires(stand, loadBefore);
  await benchDecisions();
  await benchSafety();
}

const parts = {
  "--money": benchMoney,
  "--wires": benchWires,
  "--decide": benchDecisions,
  "--safety": benchSafety,
};
const [part] = Object.entries(parts).filter(([flag]) => process.argv.includes(flag));
await onStand(WHOLE_BENCH_MS, part?.[1] ?? benchEverything);
