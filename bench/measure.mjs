// @ts-check
import { cpuBetween, readCpu } from "./cpu-time.mjs";
import { isPostgres } from "./process-tree.mjs";
import { KEY } from "./stand.mjs";

/** @typedef {Omit<import("./load.mjs").LoadOrder, "port" | "key" | "atMost"> & { name: string }} Scenario */
/** @typedef {{ name: string, pid: number | undefined, port: number }} Target */
/**
 * @typedef {object} Measured
 * @property {string} scenario
 * @property {string} target
 * @property {number | undefined} cpuUs Microseconds a request, of all its processes but PostgreSQL's.
 * @property {number | undefined} storeCpuUs
 */
/** @typedef {import("./load.mjs").LoadResult & Measured} Sample One target under one scenario, once. */

/** Nothing gets this far in a round; it is there so that no round is without an end. */
const ROUND_REQUESTS = 200_000;

/** Puts one target under one scenario, once. @param {import("./stand.mjs").Stand} stand @param {Scenario} scenario @param {Target} target @returns {Promise<Sample>} */
export async function measure(stand, scenario, target) {
  const { name, ...request } = scenario;
  const { pid } = target;
  const before = pid === undefined ? undefined : readCpu(pid);
  const order = { ...request, key: KEY, port: target.port };
  const load = await stand.load({ ...order, atMost: ROUND_REQUESTS });
  const after = pid === undefined ? undefined : readCpu(pid);
  const cpu = (/** @type {(pid: number) => boolean} */ counts) =>
    before === undefined || after === undefined ? undefined : cpuBetween(before, after, counts) / load.requests;
  return {
    ...load,
    scenario: name,
    target: target.name,
    cpuUs: cpu((process) => !isPostgres(process)),
    storeCpuUs: cpu(isPostgres),
  };
}
