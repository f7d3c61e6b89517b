// @ts-check
/**
 * What traces of every request cost: the processor time that a request takes of a gateway that sends them, of one that does not, and
 * of a second one that does not, which shows how much two processes of the same program differ. Gateways have one core, and what sends
 * them requests, answers these and receives the traces has another. They take turns, as the machine's speed changes from one
 * minute to the next, and are started afresh several times, as the code that V8 makes differs from process to process.
 * `npm run bench:traces` after a build.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { BenchFailure } from "./bench-failure.mjs";
import { treeOf } from "./process-tree.mjs";
import { chatOrder, gatewayTarget, pin, sample, warmUp } from "./speed-targets.mjs";
import { Stand } from "./stand.mjs";
import { digits, median, quantile } from "./statistics.mjs";

/** @typedef {import("./speed-targets.mjs").SpeedTarget} SpeedTarget */

const WARM_UP_REQUESTS = 12_000;
const ROUND_MS = 600;
const CONNECTIONS = 64;
/** The share of the rounds that counts as calm. */
const CALM = 0.15;
const GATEWAY_CORE = 0;
const OTHERS_CORE = 1;

const { starts, rounds } = parseArgs({
  options: { starts: { type: "string", default: "3" }, rounds: { type: "string", default: "30" } },
}).values;

/** @param {Stand} stand @param {string} name @param {Readonly<Record<string, string>>} variables */
async function startPinned(stand, name, variables) {
  const gateway = await stand.startGateway({ hasChatModelsAlone: true, data: name, variables });
  for (const pid of treeOf(gateway.pid)) pin(pid, GATEWAY_CORE);
  const target = gatewayTarget(name, gateway);
  await warmUp(stand, target, { requests: WARM_UP_REQUESTS });
  return target;
}

/**
 * Compares freshly started gateways. Returns by how much the others exceed the first: in each round, and in the rounds in which
 * each was least disturbed by what else the machine does.
 */
async function compare() {
  const stand = new Stand();
  try {
    await stand.open();
    const receiver = await stand.startReceiver();
    const signals = { OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" };
    const targets = [
      await startPinned(stand, "without", {}),
      await startPinned(stand, "without again", {}),
      await startPinned(stand, "with traces", { OTEL_EXPORTER_OTLP_ENDPOINT: receiver, ...signals }),
    ];
    /** @type {Map<SpeedTarget, number[]>} */
    const cpuUs = new Map(targets.map((target) => [target, []]));
    for (let round = 0; round < Number(rounds); round++) {
      // Which one is first changes, so that none gets the warmer machine.
      for (let turn = 0; turn < targets.length; turn++) {
        const target = targets[(round + turn) % targets.length];
        if (target === undefined) throw new BenchFailure("There is nothing to measure.");
        const order = { ...chatOrder(target), connections: CONNECTIONS, forMs: ROUND_MS };
        cpuUs.get(target)?.push((await sample(stand, target, order)).cpuUs);
      }
    }
    const [plain, ...others] = [...cpuUs.values()];
    if (plain === undefined) throw new BenchFailure("There is nothing to compare.");
    process.stdout.write(`${[...cpuUs.values()].map((each) => `${digits(median(each), 1)} µs`).join(", ")}\n`);
    return others.map((each) => ({
      shares: each.map((us, round) => us / (plain[round] ?? Number.NaN) - 1),
      calm: quantile(each, CALM) / quantile(plain, CALM) - 1,
    }));
  } finally {
    await stand.close();
  }
}

/**
 * Compares requests whose client asks for a trace with requests whose client does not, of one gateway: this leaves out what a
 * request's place in a trace costs, and with it the differences between processes, which on a busy machine are larger.
 */
async function compareWithin() {
  const stand = new Stand();
  try {
    await stand.open();
    const receiver = await stand.startReceiver();
    const target = await startPinned(stand, "with traces", {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver,
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
    });
    /** @param {"00" | "01"} flags */
    const measure = async (flags) => {
      const headers = { traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}` };
      const order = { ...chatOrder(target), headers, connections: CONNECTIONS, forMs: ROUND_MS };
      return (await sample(stand, target, order)).cpuUs;
    };
    /** @type {number[]} */
    const without = [];
    /** @type {number[]} */
    const recorded = [];
    for (let round = 0; round < Number(rounds); round++) {
      if (round % 2 === 0) without.push(await measure("00"));
      recorded.push(await measure("01"));
      if (round % 2 === 1) without.push(await measure("00"));
    }
    return [
      {
        shares: recorded.map((us, round) => us / (without[round] ?? Number.NaN) - 1),
        calm: quantile(recorded, CALM) / quantile(without, CALM) - 1,
      },
    ];
  } finally {
    await stand.close();
  }
}

/** @param {string} what @param {readonly { shares: readonly number[], calm: number }[]} results One for each start. */
function report(what, results) {
  if (results.length === 0) return;
  const shares = results.flatMap((result) => result.shares);
  const percent = (/** @type {number} */ share) => digits(100 * share, 1);
  const [low, high] = [quantile(shares, 0.25), quantile(shares, 0.75)];
  process.stdout.write(
    `${what}: ${percent(median(shares))} % more (median of ${shares.length} pairs, half of them between ${percent(low)} and ${percent(high)} %); in calm rounds ${results.map(({ calm }) => percent(calm)).join(", ")} %.\n`,
  );
}

async function bench() {
  if (availableParallelism() < 2)
    throw new BenchFailure("This needs two cores: one for the gateway, one for the rest.");
  // What is started from here on stays on this core, unless it is a gateway.
  pin(process.pid, OTHERS_CORE);
  if (Number(starts) > 0)
    process.stdout.write("Processor time of a request without traces, again without, and with:\n");
  const results = [];
  for (let start = 0; start < Number(starts); start++) results.push(await compare());
  report(
    "A second gateway without traces takes",
    results.flatMap(([control]) => control ?? []),
  );
  report(
    "Traces of every request take",
    results.flatMap(([, traced]) => traced ?? []),
  );
  report("Within one gateway, requests that are recorded take", await compareWithin());
}

await bench();
