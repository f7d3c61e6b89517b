// @ts-check
import { cpuBetween, readCpu } from "./cpu-time.mjs";
import { KEY } from "./stand.mjs";

/** @typedef {{ name: string, path: string, body: string, mark: string, connections: number, forMs: number, rampMs?: number }} Scenario */
/** @typedef {{ name: string, pid: number | undefined, portFor: (scenario: Scenario) => number }} Target */
/** @typedef {import("./report.mjs").Sample} Sample */

/** Nothing gets this far in a round; it is there so that no round is without an end. */
const ROUND_REQUESTS = 200_000;

/** Puts one target under one scenario, once. @param {import("./stand.mjs").Stand} stand @param {Scenario} scenario @param {Target} target @returns {Promise<Sample>} */
export async function measure(stand, scenario, target) {
  const { name, ...request } = scenario;
  const { pid } = target;
  const before = pid === undefined ? undefined : readCpu(pid);
  const order = { ...request, key: KEY, port: target.portFor(scenario) };
  const load = await stand.load({ ...order, atMost: ROUND_REQUESTS });
  const after = pid === undefined ? undefined : readCpu(pid);
  const cpu = (/** @type {(pid: number) => boolean} */ counts) =>
    before === undefined || after === undefined ? undefined : cpuBetween(before, after, counts) / load.requests;
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
