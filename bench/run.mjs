// @ts-check
/**
 * Measures what the gateway costs: everything on, against a bare nginx proxy and against no proxy at all, in one run.
 * `npm run bench`, and `npm run bench -- --save` to put the figures into docs/benchmarks.md.
 */
import { loadavg } from "node:os";
import { BenchFailure } from "./bench-failure.mjs";
import { cpuBetween, readCpu } from "./cpu-time.mjs";
import { reportOf, saveReport } from "./report.mjs";
import { KEY, onStand } from "./stand.mjs";
import { STREAM_REQUEST, WHOLE_REQUEST } from "./traffic.mjs";

const ROUNDS = 3;
const ROUND_MS = 1_100;
/** The compiler of Node needs about so many requests until it has settled on what to optimise. */
const WARM_UP_REQUESTS = 12_000;
const WARM_UP_MS = 12_000;
const STREAM_WARM_UP_MS = 1_500;
/** Nothing gets this far in a round; it is there so that no round is without an end. */
const ROUND_REQUESTS = 200_000;
const WARM_STARTS = 3;
const WHOLE_BENCH_MS = 88_000;
const FIRST_CREDITS = 1_000;

const whole = { path: "/v1/ai/request", body: WHOLE_REQUEST, mark: '"output"' };
const stream = { path: "/v1/stream", body: STREAM_REQUEST, mark: '"done"' };
const SCENARIOS = [
  { name: "whole answer, 1 at a time", connections: 1, ...whole },
  { name: "whole answer, 16 at a time", connections: 16, ...whole },
  { name: "whole answer, 64 at a time", connections: 64, ...whole },
  { name: "stream of 20 deltas, 16 at a time", connections: 16, ...stream },
];

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {(typeof SCENARIOS)[number]} Scenario */
/** @typedef {{ name: string, pid: number | undefined, portFor: (scenario: Scenario) => number }} Target */

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
  await checkBooks(gateway.url, booked);
  await gateway.stop();
  const report = reportOf(samples, { loadBefore, warmUpRequests, firstStartMs, warmStartsMs, booked });
  process.stdout.write(`\n${report}\nTook ${Math.round((performance.now() - startedAt) / 1000)} s.\n`);
  if (process.argv.includes("--save")) await saveReport(report);
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

/** @param {Stand} stand @param {Scenario} scenario @param {Target} target */
async function measure(stand, scenario, target) {
  const { name, ...request } = scenario;
  const { pid } = target;
  const before = pid === undefined ? undefined : readCpu(pid);
  const order = { ...request, key: KEY, port: target.portFor(scenario) };
  const load = await stand.load({ ...order, forMs: ROUND_MS, atMost: ROUND_REQUESTS });
  const after = pid === undefined ? undefined : readCpu(pid);
  const cpu = (/** @type {(pid: number) => boolean} */ counts) =>
    before === undefined || after === undefined
      ? undefined
      : cpuBetween(before, after, counts) / load.requests;
  // What nginx starts are its workers; what the gateway starts is PostgreSQL.
  const isNginx = target.name === "nginx";
  return {
    ...load,
    scenario: name,
    target: target.name,
    cpuUs: cpu((process) => isNginx || process === pid),
    storeCpuUs: isNginx ? undefined : cpu((process) => process !== pid),
  };
}

/** Every request that was sent must be on the books, and every credit either charged or still there. @param {string} url @param {number} sent */
async function checkBooks(url, sent) {
  const read = async (/** @type {string} */ path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${KEY}` } });
    if (answer.status !== 200) throw new BenchFailure(`GET ${path} answered ${answer.status}.`);
    return answer.json();
  };
  const usage = /** @type {{ requests: number, cost: number }} */ (await read("/v1/usage"));
  const { balance, held } = /** @type {{ balance: number, held: number }} */ (await read("/v1/balance"));
  if (usage.requests !== sent) {
    throw new BenchFailure(`The books hold ${usage.requests} requests, and ${sent} were sent.`);
  }
  const nano = (/** @type {number} */ credits) => Math.round(credits * 1e9);
  if (nano(balance) + nano(usage.cost) !== nano(FIRST_CREDITS) || held !== 0 || !(usage.cost > 0)) {
    throw new BenchFailure(
      `The money does not add up: of ${FIRST_CREDITS} credits ${balance} are left, ${usage.cost} were charged and ${held} are held.`,
    );
  }
}

await onStand(WHOLE_BENCH_MS, bench);
