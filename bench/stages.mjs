// @ts-check
/** By a CPU profile of the gateway, what each part of the program takes of a request. */
import { readdir, readFile } from "node:fs/promises";

/** @typedef {{ functionName: string, url: string, lineNumber: number }} CallFrame */
/** @typedef {ReadonlyMap<string, readonly string[]>} Places Source files by bundled file and line. */
/** @typedef {{ nodes: { id: number, callFrame: CallFrame }[], samples: number[] }} CpuProfile */

/** The parts, by the beginning of a source file's path. The first that fits counts. @type {readonly (readonly [stage: string, prefixes: readonly string[]])[]} */
const STAGES = [
  ["safety", ["packages/guard/"]],
  ["routing", ["packages/router/"]],
  ["providers", ["packages/providers/", "packages/local-models/", "node_modules/undici/"]],
  ["http", ["server/src/http/", "node_modules/fastify/", "node_modules/find-my-way/", "node_modules/avvio/"]],
  ["identity", ["server/src/identity/"]],
  ["pipeline", ["server/src/pipeline/", "server/src/cache/"]],
  ["money and records", ["server/src/ledger/", "server/src/store/"]],
  ["PostgreSQL client", ["node_modules/pg"]],
  ["metrics", ["node_modules/prom-client/", "server/src/app/metrics"]],
  ["core", ["packages/core/"]],
  ["the rest of the service", ["server/src/"]],
  ["other packages", ["node_modules/"]],
];

/** The innermost function of every sample that was taken while the process was at work. @param {CpuProfile} profile */
export function busyFrames({ nodes, samples }) {
  const frameOf = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const frames = [];
  for (const id of samples) {
    const frame = frameOf.get(id);
    if (frame !== undefined && frame.functionName !== "(idle)") frames.push(frame);
  }
  return frames;
}

/** Which source file each line of each bundled file comes from: the bundler names it in a comment above. @returns {Promise<Places>} */
export async function placesOfBundles() {
  const dist = new URL("../server/dist/", import.meta.url);
  const files = (await readdir(dist)).filter((file) => file.endsWith(".mjs"));
  const places = new Map();
  for (const file of files) {
    let place = "";
    const lines = (await readFile(new URL(file, dist), "utf8")).split("\n");
    places.set(
      new URL(file, dist).href,
      lines.map((line) => {
        place = /^\s*\/\/ ((?:server\/src|packages\/[^/]+\/src|node_modules)\/\S+)$/.exec(line)?.[1] ?? place;
        return place;
      }),
    );
  }
  return places;
}

/** The source file of a function; empty: none of ours. @param {CallFrame} frame @param {Places} places */
export function fileOf(frame, places) {
  return places.get(frame.url)?.[frame.lineNumber] ?? /node_modules\/.*/.exec(frame.url)?.[0] ?? "";
}

/** @param {CallFrame} frame @param {Places} places */
function stageOf(frame, places) {
  if (frame.functionName === "(garbage collector)") return "collecting garbage";
  const file = fileOf(frame, places);
  if (file === "") return "Node";
  return STAGES.find(([, prefixes]) => prefixes.some((prefix) => file.startsWith(prefix)))?.[0] ?? "other packages";
}

/**
 * What each part takes of a request, in µs, the most first. What a request takes altogether is divided as the samples are.
 * @param {CpuProfile} profile @param {number} cpuUs @returns {Promise<[stage: string, us: number][]>}
 */
export async function stagesOf(profile, cpuUs) {
  const places = await placesOfBundles();
  const frames = busyFrames(profile);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const frame of frames) {
    const stage = stageOf(frame, places);
    counts.set(stage, (counts.get(stage) ?? 0) + 1);
  }
  return [...counts]
    .map(([stage, count]) => /** @type {[string, number]} */ ([stage, (count / frames.length) * cpuUs]))
    .sort(([, a], [, b]) => b - a);
}
