// @ts-check
/**
 * What the money costs: the gateway as it is against the same gateway without a ledger, in turns, and the wait for the
 * charge against one bare commit of the same PostgreSQL and disk.
 */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundle } from "../scripts/bundle.mjs";
import { checkLedger } from "./check-ledger.mjs";
import { measure } from "./measure.mjs";
import { KEY } from "./stand.mjs";
import { SLOW_REQUEST, WHOLE_REQUEST } from "./traffic.mjs";

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {import("./stand.mjs").Gateway} Gateway */
/** @typedef {import("./measure.mjs").Sample} Sample */
/** @typedef {{ samples: Sample[], commitsMs: number[][], booked: number }} MoneySamples Bare commits are by round. */

export const WITH_LEDGER = "with the ledger";
export const WITHOUT_LEDGER = "without";

/** Even, as who goes first changes from round to round. */
const ROUNDS = 4;
/** As for the speed: what is measured is a service that has run for a while. */
const WARM_UP_REQUESTS = 30_000;
const WARM_UP_MS = 30_000;
const SLOW_WARM_UP_MS = 1_000;
const COMMITS_LIMIT_MS = 30_000;

const whole = { path: "/v1/ai/request", body: WHOLE_REQUEST, mark: '"output"', forMs: 1_100 };
const slow = { ...whole, body: SLOW_REQUEST, forMs: 1_800, rampMs: 100 };
/** The one in which the processors are not saturated: the wait for the charge is judged there. */
export const CALM_SCENARIO = "64 at a time, provider takes 100 ms";
const SCENARIOS = [
  { name: "16 at a time, as fast as it goes", connections: 16, ...whole },
  { name: "64 at a time, as fast as it goes", connections: 64, ...whole },
  { name: CALM_SCENARIO, connections: 64, ...slow },
];

/** @param {Stand} stand @returns {Promise<MoneySamples>} */
export async function measureMoney(stand) {
  const programs = await bundlePrograms(stand);
  // Both are started afresh and lead the same life, so that neither is better warmed up than the other.
  const real = await stand.startGateway({ data: "with-ledger" });
  const bare = await stand.startGateway({ data: "without-ledger", program: programs.unledgered });
  let booked = await warmUp(stand, real);
  await warmUp(stand, bare);
  const targets = [
    { name: WITH_LEDGER, pid: real.pid, port: real.port },
    { name: WITHOUT_LEDGER, pid: bare.pid, port: bare.port },
  ];
  const samples = [];
  const commitsMs = [];
  for (let round = 1; round <= ROUNDS; round++) {
    process.stdout.write(`Money, round ${round} of ${ROUNDS}.\n`);
    commitsMs.push(await timeBareCommits(programs.bareCommit, real.dataDir));
    for (const scenario of SCENARIOS) {
      for (const target of targets) {
        const sample = await measure(stand, scenario, target);
        if (target.pid === real.pid) booked += sample.requests;
        samples.push(sample);
      }
    }
    targets.reverse();
  }
  await checkLedger(real.url, booked);
  await checkLedger(bare.url, 0);
  await bare.stop();
  await real.stop();
  return { samples, commitsMs, booked };
}

/** Programs that are no part of the product are bundled only while the stand exists. @param {Stand} stand */
async function bundlePrograms(stand) {
  const entries = { unledgered: "bench/unledgered/main.ts", "bare-commit": "bench/bare-commit.ts" };
  const files = await bundle(entries, "bench-[name]-[hash]");
  stand.defer(() => Promise.all(files.map((file) => rm(file, { force: true }))));
  const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(`../server/dist/${name}.mjs`, import.meta.url));
  return { unledgered: pathOf("unledgered"), bareCommit: pathOf("bare-commit") };
}

/** How many requests it took. @param {Stand} stand @param {Gateway} gateway */
async function warmUp(stand, { port }) {
  const order = { port, key: KEY, connections: 64, atMost: WARM_UP_REQUESTS };
  const wholes = await stand.load({ ...order, ...whole, forMs: WARM_UP_MS });
  const slows = await stand.load({ ...order, ...slow, forMs: SLOW_WARM_UP_MS });
  return wholes.requests + slows.requests;
}

/** On the store of a gateway that has nothing to do. @param {string} program @param {string} dataDir @returns {Promise<number[]>} */
async function timeBareCommits(program, dataDir) {
  const { stdout } = await promisify(execFile)(process.execPath, [program, dataDir], {
    timeout: COMMITS_LIMIT_MS,
  });
  return JSON.parse(stdout);
}
