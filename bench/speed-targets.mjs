// @ts-check
/** What is measured against each other, and the requests that it gets: the same question, as each of them takes it. */
import { execFileSync } from "node:child_process";
import { BenchFailure } from "./bench-failure.mjs";
import { cpuBetween, readCpu } from "./cpu-time.mjs";
import { isPostgres } from "./process-tree.mjs";
import { KEY } from "./stand.mjs";
import { CHAT_MODEL, STREAMED_MODEL } from "./traffic.mjs";

/** @typedef {import("./stand.mjs").Stand} Stand */
/** @typedef {import("./stand.mjs").Gateway} Gateway */
/** @typedef {import("./load.mjs").LoadOrder} LoadOrder */
/** @typedef {import("./load.mjs").LoadResult} LoadResult */
/**
 * @typedef {object} SpeedTarget
 * @property {string} name
 * @property {number | undefined} pid Of its first process; undefined: the upstream itself.
 * @property {Request} whole Where a whole answer comes from.
 * @property {Request} stream Where a stream comes from.
 * @property {boolean} [cannotStream] Where it refuses streams here.
 * @property {number} [restBytes] Its memory before the first request.
 * @property {Gateway} [gateway] Where it is ours.
 * @property {number} sent How many requests it has answered.
 */
/** @typedef {{ port: number, path: string, headers?: Readonly<Record<string, string>> }} Request */
/** @typedef {LoadResult & { cpuUs: number, storeCpuUs: number }} SpeedSample CPU in microseconds a request; NaN: not known. */

/** About how many requests V8 needs until it has optimised the code of a process, and how many streams. */
const WARM_UP_REQUESTS = 30_000;
const WARM_UP_STREAMS = 20_000;
/** At most, for what is slow. */
const WARM_UP_MS = 30_000;
const STREAM_WARM_UP_MS = 25_000;
/** Texts that differ, before they repeat. */
const TEXTS = 4_000;
const PLAIN_PROMPT_BYTES = 300;
/** Nothing gets this far; it is there so that no round is without an end. */
const ROUND_REQUESTS = 1_000_000;

/** The upstream itself. @param {Stand} stand @returns {SpeedTarget} */
export function directTarget(stand) {
  return {
    name: "direct",
    pid: undefined,
    whole: { port: stand.wholePort, path: "/v1/chat/completions" },
    stream: { port: stand.wirePort, path: "/v1/chat/completions" },
    sent: 0,
  };
}

/** @param {Stand} stand @returns {SpeedTarget} */
export function nginxTarget(stand) {
  return {
    name: "nginx",
    pid: stand.proxyPid,
    whole: { port: stand.proxyPort, path: "/v1/chat/completions" },
    stream: { port: stand.proxyPort, path: "/streams/v1/chat/completions" },
    sent: 0,
  };
}

/** It is told with each request where to go. @param {Stand} stand @param {{ pid: number, port: number }} portkey @returns {SpeedTarget} */
export function portkeyTarget(stand, { pid, port }) {
  const to = (/** @type {number} */ upstream) => ({
    port,
    path: "/v1/chat/completions",
    headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": `http://127.0.0.1:${upstream}/v1` },
  });
  return { name: "Portkey", pid, whole: to(stand.wholePort), stream: to(stand.wirePort), sent: 0 };
}

/** @param {string} name @param {Gateway} gateway @returns {SpeedTarget} */
export function gatewayTarget(name, gateway) {
  const request = { port: gateway.port, path: "/openai/v1/chat/completions" };
  return { name, pid: gateway.pid, whole: request, stream: request, gateway, sent: 0 };
}

/**
 * A request for a target, without how many and how long.
 * @param {SpeedTarget} target @param {{ model?: string, stream?: boolean, promptBytes?: number, texts?: number }} [what]
 */
export function chatOrder(target, what = {}) {
  const { model = CHAT_MODEL, stream = false, promptBytes = PLAIN_PROMPT_BYTES, texts = TEXTS } = what;
  return {
    ...(stream ? target.stream : target.whole),
    chat: { count: texts, promptBytes, model, stream },
    mark: stream ? "[DONE]" : '"finish_reason"',
  };
}

/**
 * Puts load on a target, once, and measures its processor time.
 * @param {Stand} stand @param {SpeedTarget} target
 * @param {Omit<LoadOrder, "key" | "atMost"> & { atMost?: number }} order @returns {Promise<SpeedSample>}
 */
export async function sample(stand, target, order) {
  const { pid } = target;
  const before = pid === undefined ? undefined : readCpu(pid);
  const load = await stand.load({ atMost: ROUND_REQUESTS, ...order, key: KEY });
  target.sent += load.requests;
  const after = pid === undefined ? undefined : readCpu(pid);
  const cpu = (/** @type {(pid: number) => boolean} */ counts) =>
    before === undefined || after === undefined ? Number.NaN : cpuBetween(before, after, counts) / load.requests;
  return { ...load, cpuUs: cpu((process) => !isPostgres(process)), storeCpuUs: cpu(isPostgres) };
}

/** Keeps a process, with all its threads and what it starts from now on, on one core. @param {number} pid @param {number} core */
export function pin(pid, core) {
  execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)], { stdio: "ignore" });
}

/** @param {Stand} stand @param {SpeedTarget} target @param {{ requests?: number, streams?: number }} [most] */
export async function warmUp(stand, target, { requests = WARM_UP_REQUESTS, streams = WARM_UP_STREAMS } = {}) {
  await sample(stand, target, { ...chatOrder(target), connections: 64, atMost: requests, forMs: WARM_UP_MS });
  const streamed = chatOrder(target, { model: STREAMED_MODEL, stream: true });
  const order = { ...streamed, connections: 64, atMost: streams, forMs: STREAM_WARM_UP_MS };
  await sample(stand, target, order).catch((error) => {
    if (!(error instanceof BenchFailure) || target.gateway !== undefined) throw error;
    // Some versions of other gateways can't stream on some versions of Node.
    target.cannotStream = true;
  });
}
