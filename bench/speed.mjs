// @ts-check
/**
 * What the gateway costs with everything on, against a bare nginx proxy, Portkey's gateway and no proxy at all: texts
 * that vary, twenty models, all in turns.
 */
import { setTimeout as wait } from "node:timers/promises";
import { checkLedger } from "./check-ledger.mjs";
import { limitEach } from "./cpu-share.mjs";
import { fetchNode24, fetchPortkey } from "./packages.mjs";
import { isPostgres, residentBytes, treeOf } from "./process-tree.mjs";
import {
  chatOrder,
  directTarget,
  gatewayTarget,
  nginxTarget,
  portkeyTarget,
  sample,
  warmUp,
} from "./speed-targets.mjs";
import { stagesOf } from "./stages.mjs";
import { HELD_MODEL, STREAMED_MODEL } from "./traffic.mjs";

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {import("./speed-targets.mjs").SpeedTarget} SpeedTarget */
/** @typedef {import("./speed-targets.mjs").SpeedSample} SpeedSample */
/** @typedef {SpeedSample & { scenario: string, target: string }} NamedSample */
/** @typedef {NamedSample & { share: number, round: number }} PacedSample At a share of the target's own capacity, and the direct way at the same rate. */
/**
 * @typedef {object} SpeedFigures
 * @property {NamedSample[]} samples
 * @property {PacedSample[]} paced
 * @property {PacedSample[]} pacedStreams At half of what each can do at most.
 * @property {{ target: string, bytesPerStream: number, restBytes: number }[]} memory
 * @property {NamedSample[]} limited One worker and two, where each worker has the same share of a core.
 * @property {RequestObjects} objects
 * @property {[stage: string, us: number][]} stages
 * @property {number} firstStartMs
 * @property {number} warmStartMs
 * @property {number} sent To our gateways. Their ledgers hold each of them.
 * @property {readonly string[]} missing What could not be measured, and why.
 */
/** @typedef {{ heapBytes: number, promises: number, timers: number }} RequestObjects What a request makes. */

const ROUNDS = 3;
const ROUND_MS = 1_500;
const PACED_ROUNDS = 3;
const PACED_MS = 3_000;
/** Enough that a wait for the disk leaves some free. */
const PACED_CONNECTIONS = 64;
const SHARES = [0.1, 0.5, 0.9];
const STREAMS = 1_000;
const STREAMS_RAMP_MS = 2_500;
const PROBE_MS = 2_500;
/** Small enough that two workers, PostgreSQL, the load and the upstream together leave two cores some rest. */
export const CORE_SHARE = 0.25;
const LIMITED_ROUNDS = 5;
const LIMITED_MS = 3_000;

export const WHOLE = "64 at a time";
export const ALONE = "1 at a time";
export const LIMITED = "64 at a time, with a share of a core";
export const STREAM = "stream of 20 deltas, 16 at a time";
export const PROMPTS = ["16 KB", "200 KB", "1 MB"];
export const ONE_WORKER = "Trunkline";
export const TWO_WORKERS = "Trunkline, 2 workers";
export const NODE_24 = "Trunkline on Node 24";

/** @type {readonly { name: string, connections: number, what: Parameters<typeof chatOrder>[1], only?: readonly string[] }[]} */
const SCENARIOS = [
  { name: WHOLE, connections: 64, what: {} },
  { name: ALONE, connections: 1, what: {}, only: ["direct", "nginx", "Portkey", ONE_WORKER] },
  ...[16_000, 200_000, 1_000_000].map((promptBytes, index) => ({
    name: `prompts of ${PROMPTS[index]}`,
    connections: 4,
    what: { promptBytes, texts: Math.max(8, Math.round(1_600_000 / promptBytes)) },
    only: ["nginx", "Portkey", ONE_WORKER],
  })),
  {
    name: STREAM,
    connections: 16,
    what: { model: STREAMED_MODEL, stream: true },
    only: ["direct", "nginx", "Portkey", ONE_WORKER],
  },
];

/** @param {Stand} stand @returns {Promise<SpeedFigures>} */
export async function measureSpeed(stand) {
  const portkeyProgram = await fetchPortkey();
  const node24 = await fetchNode24();
  const { gateway, firstStartMs } = await startTwice(stand);
  const ours = gatewayTarget(ONE_WORKER, gateway);
  const targets = [directTarget(stand), nginxTarget(stand), ours];
  if (portkeyProgram !== undefined)
    targets.splice(2, 0, portkeyTarget(stand, await stand.startPortkey(portkeyProgram)));
  targets.push(gatewayTarget(TWO_WORKERS, await startSpeed(stand, { data: "speed-2", workers: 2 })));
  if (node24 !== undefined)
    targets.push(gatewayTarget(NODE_24, await startSpeed(stand, { data: "speed-24", node: node24 })));

  for (const target of targets) target.restBytes = residentBytes(processesOf(target));
  process.stdout.write("Warming up.\n");
  // Each worker has to see as many requests.
  for (const target of targets)
    await warmUp(stand, target, target.name === TWO_WORKERS ? { requests: 60_000, streams: 40_000 } : {});
  // Before the long prompts, whose memory a process keeps for some time.
  const memory = [];
  for (const target of targets.filter(
    (one) => one.pid !== undefined && one.cannotStream !== true && one.name !== NODE_24,
  ))
    memory.push(await measureStreamMemory(stand, target));
  const samples = await measureInTurns(stand, targets);
  const paced = await measureAtShares(stand, targets, samples, WHOLE, SHARES);
  const pacedStreams = await measureAtShares(stand, targets, samples, STREAM, [0.5]);
  const limited = await measureLimited(stand, targets);
  const objects = await measureObjects(stand, ours);
  const stages = await measureStages(stand, ours);

  let sent = 0;
  for (const target of targets) {
    if (target.gateway === undefined) continue;
    await checkLedger(target.gateway.url, target.sent);
    sent += target.sent;
    await target.gateway.stop();
  }
  const missing = [
    ...(portkeyProgram === undefined ? ["Portkey's gateway could not be fetched: its rows are missing."] : []),
    ...(node24 === undefined ? ["Node 24 could not be fetched, or does not run here: its rows are missing."] : []),
    ...targets
      .filter(({ cannotStream }) => cannotStream === true)
      .map(({ name }) => `${name} answers requests for a stream with an error here: its rows of streams are missing.`),
    ...(limited.length === 0
      ? ["Workers could not be limited to a share of a core here: their rows are missing."]
      : []),
  ];
  return {
    samples,
    paced,
    pacedStreams,
    limited,
    memory,
    objects,
    stages,
    firstStartMs,
    warmStartMs: gateway.readyMs,
    sent,
    missing,
  };
}

/** @param {Stand} stand @param {{ data: string, workers?: number, node?: string }} how */
export function startSpeed(stand, how) {
  return stand.startGateway({ ...how, hasChatModelsAlone: true });
}

/** The first start makes the database. @param {Stand} stand */
async function startTwice(stand) {
  const first = await startSpeed(stand, { data: "speed-1" });
  await first.stop();
  return { gateway: await startSpeed(stand, { data: "speed-1" }), firstStartMs: first.readyMs };
}

/** Neighbours in time share the machine's mood, so all take turns, and who goes first changes. @param {Stand} stand @param {readonly SpeedTarget[]} targets */
async function measureInTurns(stand, targets) {
  /** @type {NamedSample[]} */
  const samples = [];
  for (let round = 1; round <= ROUNDS; round++) {
    process.stdout.write(`Round ${round} of ${ROUNDS}.\n`);
    for (const { name: scenario, connections, what, only } of SCENARIOS) {
      const turns = targets.filter(
        ({ name, cannotStream }) =>
          (only === undefined || only.includes(name)) && !(cannotStream === true && what?.stream === true),
      );
      for (const target of round % 2 === 0 ? turns.toReversed() : turns) {
        const measured = await sample(stand, target, { ...chatOrder(target, what), connections, forMs: ROUND_MS });
        samples.push({ ...measured, scenario, target: target.name });
      }
    }
  }
  return samples;
}

/**
 * Requests at shares of what each target can do at most, and directly at the same rates.
 * @param {Stand} stand @param {readonly SpeedTarget[]} targets @param {readonly NamedSample[]} samples
 * @param {string} scenarioName @param {readonly number[]} shares
 */
async function measureAtShares(stand, targets, samples, scenarioName, shares) {
  /** @type {PacedSample[]} */
  const paced = [];
  const [direct] = targets;
  const scenario = SCENARIOS.find(({ name }) => name === scenarioName);
  if (direct === undefined || scenario === undefined) return paced;
  for (const target of targets.filter(({ name }) => ["nginx", "Portkey", ONE_WORKER].includes(name))) {
    const rates = samples.filter((one) => one.target === target.name && one.scenario === scenarioName);
    if (rates.length === 0) continue;
    const capacity = Math.max(...rates.map(({ perSecond }) => perSecond));
    for (const share of shares) {
      process.stdout.write(`${target.name} at ${share * 100} % of ${Math.round(capacity)} requests a second.\n`);
      for (let round = 0; round < PACED_ROUNDS; round++) {
        for (const one of [direct, target]) {
          const perSecond = capacity * share;
          const order = {
            ...chatOrder(one, scenario.what),
            connections: PACED_CONNECTIONS,
            forMs: PACED_MS,
            perSecond,
          };
          paced.push({ ...(await sample(stand, one, order)), scenario: target.name, target: one.name, share, round });
        }
      }
    }
  }
  return paced;
}

/**
 * What a second worker brings where it has a processor of its own. Two workers share two cores with PostgreSQL, the load and
 * the upstream here, so each worker gets a small share of a core, and all else as much as it needs.
 * @param {Stand} stand @param {readonly SpeedTarget[]} targets
 */
async function measureLimited(stand, targets) {
  /** @type {NamedSample[]} */
  const samples = [];
  const turns = targets.filter(({ name }) => name === ONE_WORKER || name === TWO_WORKERS);
  const letGo = limitEach(turns.flatMap(processesOf), CORE_SHARE);
  if (letGo === undefined) return samples;
  try {
    for (let round = 1; round <= LIMITED_ROUNDS; round++) {
      process.stdout.write(`Round ${round} of ${LIMITED_ROUNDS} with a share of a core.\n`);
      for (const target of round % 2 === 0 ? turns.toReversed() : turns) {
        const measured = await sample(stand, target, { ...chatOrder(target), connections: 64, forMs: LIMITED_MS });
        samples.push({ ...measured, scenario: LIMITED, target: target.name });
      }
    }
  } finally {
    letGo();
  }
  return samples;
}

/** The memory that a thousand streams take while all of them are open. @param {Stand} stand @param {SpeedTarget} target */
async function measureStreamMemory(stand, target) {
  const pids = processesOf(target);
  const bytesBefore = residentBytes(pids);
  let mostBytes = bytesBefore;
  const order = { ...chatOrder(target, { model: HELD_MODEL, stream: true }), connections: STREAMS, atMost: STREAMS };
  let isOver = false;
  const load = sample(stand, target, { ...order, forMs: 60_000, rampMs: STREAMS_RAMP_MS }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await wait(100);
    mostBytes = Math.max(mostBytes, residentBytes(pids));
  }
  await load;
  return { target: target.name, bytesPerStream: (mostBytes - bytesBefore) / STREAMS, restBytes: target.restBytes ?? 0 };
}

/** Its processes but those of PostgreSQL. @param {SpeedTarget} target */
function processesOf(target) {
  return target.pid === undefined ? [] : treeOf(target.pid).filter((pid) => !isPostgres(pid));
}

/** What a request makes on the heap. Each count slows the gateway down, so that none of these rounds is timed. @param {Stand} stand @param {SpeedTarget} target @returns {Promise<RequestObjects>} */
export async function measureObjects(stand, target) {
  const order = { ...chatOrder(target), connections: 64, forMs: PROBE_MS };
  await target.gateway?.probe("start", "heap");
  const { requests } = await sample(stand, target, order);
  const heap = await target.gateway?.probe("stop", "heap");
  await target.gateway?.probe("start", "objects");
  const counted = await sample(stand, target, order);
  const made = await target.gateway?.probe("stop", "objects");
  return {
    heapBytes: heap.heapBytes / requests,
    promises: made.promises / counted.requests,
    timers: made.timers / counted.requests,
  };
}

/** @param {Stand} stand @param {SpeedTarget} target @param {number} [forMs] */
export async function measureStages(stand, target, forMs = PROBE_MS * 2) {
  await target.gateway?.probe("start", "profile");
  const { cpuUs } = await sample(stand, target, { ...chatOrder(target), connections: 64, forMs });
  return stagesOf(await target.gateway?.probe("stop", "profile"), cpuUs);
}
