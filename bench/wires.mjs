// @ts-check
/** What other wire formats cost, on either side of the gateway, against our own on both: the same question, in turns. */
import { measure } from "./measure.mjs";
import { machineAt } from "./report.mjs";
import { KEY } from "./stand.mjs";
import { digits, median, tableOf } from "./statistics.mjs";
import { DOORS, MODEL_OF_WIRE } from "./wire-traffic.mjs";

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {import("./measure.mjs").Sample} Sample */
/** @typedef {import("./wire-traffic.mjs").BenchWire} BenchWire */

const ROUNDS = 4;
const ROUND_MS = 800;
const WARM_UP_MS = 1_500;
const WARM_UP_REQUESTS = 4_000;
const CONNECTIONS = 16;

/** The client's format and the provider's; the first is what the others are held against. @type {readonly (readonly [BenchWire, BenchWire])[]} */
const WAYS = [
  ["trunkline", "trunkline"],
  ["trunkline", "openai"],
  ["trunkline", "anthropic"],
  ["openai", "trunkline"],
  ["openai", "openai"],
  ["openai", "anthropic"],
  ["anthropic", "anthropic"],
  ["anthropic", "openai"],
];
const FORMS = /** @type {const} */ (["whole", "stream"]);

const SCENARIOS = FORMS.flatMap((form) =>
  WAYS.map(([client, provider]) => ({
    name: `${form} ${client} ${provider}`,
    ...DOORS[client][form],
    body: DOORS[client].bodyOf(MODEL_OF_WIRE[provider], form === "stream"),
    connections: CONNECTIONS,
    forMs: ROUND_MS,
  })),
);

/** @param {Stand} stand @returns {Promise<Sample[]>} */
export async function measureWires(stand) {
  const gateway = await stand.startGateway({ data: "wires" });
  const target = { name: "Trunkline", pid: gateway.pid, port: gateway.port };
  for (const { name: _, ...scenario } of SCENARIOS) {
    await stand.load({
      ...scenario,
      port: gateway.port,
      key: KEY,
      forMs: WARM_UP_MS,
      atMost: WARM_UP_REQUESTS,
    });
  }
  /** @type {Sample[]} */
  const samples = [];
  for (let round = 1; round <= ROUNDS; round++) {
    process.stdout.write(`Wires, round ${round} of ${ROUNDS}.\n`);
    // Who goes first changes, as neighbours in time share the machine's mood.
    const turns = round % 2 === 0 ? SCENARIOS.toReversed() : SCENARIOS;
    for (const scenario of turns) samples.push(await measure(stand, scenario, target));
  }
  await gateway.stop();
  return samples;
}

/** @param {readonly Sample[]} samples @param {number} loadBefore */
export function wiresReportOf(samples, loadBefore) {
  const medianOf = (/** @type {string} */ scenario, /** @type {"cpuUs" | "p50Ms" | "firstByteP50Ms"} */ field) =>
    median(samples.filter((sample) => sample.scenario === scenario).map((sample) => sample[field] ?? Number.NaN));
  const rows = FORMS.flatMap((form) =>
    WAYS.map(([client, provider]) => {
      const name = `${form} ${client} ${provider}`;
      const cpu = medianOf(name, "cpuUs");
      return [
        form === "whole" ? "whole answer" : "stream of 20 deltas",
        DOORS[client].name,
        provider === "trunkline" ? "our contract" : DOORS[provider].name,
        digits(cpu, 0),
        `${digits(cpu / medianOf(`${form} trunkline trunkline`, "cpuUs"), 2)}×`,
        digits(medianOf(name, "p50Ms"), 2),
        digits(medianOf(name, "firstByteP50Ms"), 2),
      ];
    }),
  );
  const heads = ["answer", "client's format", "provider's format", "CPU µs/req", "of our own", "p50 ms"];
  return [machineAt(loadBefore), "", ...tableOf([...heads, "first byte p50 ms"], rows, 3), ""].join("\n");
}
