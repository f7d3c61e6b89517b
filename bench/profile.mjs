// @ts-check
/**
 * Shows where the gateway's own time goes with 64 requests at a time: `node bench/profile.mjs` after a build.
 * The profile is left in the folder that is named as an argument, if one is, for a viewer such as Chrome's.
 */
import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchFailure } from "./bench-failure.mjs";
import { cpuBetween, readCpu } from "./cpu-time.mjs";
import { KEY, onStand } from "./stand.mjs";
import { STREAM_REQUEST, WHOLE_REQUEST } from "./traffic.mjs";

const WARM_UP_REQUESTS = 12_000;
const WARM_UP_MS = 30_000;
const PROFILE_MS = 12_000;
const WHOLE_MS = 80_000;
const ROWS = 40;

/** @typedef {{ functionName: string, url: string, lineNumber: number }} CallFrame */
/** @typedef {ReadonlyMap<string, readonly string[]>} Places Source files by bundled file and line. */
/** @typedef {{ nodes: { id: number, callFrame: CallFrame }[], samples: number[], timeDeltas: number[], startTime: number }} CpuProfile */

const isStream = process.argv.includes("--stream");
const keepIn = process.argv.slice(2).find((word) => !word.startsWith("--"));
const request = isStream
  ? { path: "/v1/stream", body: STREAM_REQUEST, mark: '"done"' }
  : { path: "/v1/ai/request", body: WHOLE_REQUEST, mark: '"output"' };

/** @param {import("./stand.mjs").Stand} stand */
async function profile(stand) {
  await stand.open();
  const nodeOptions = ["--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${stand.folder}`];
  const gateway = await stand.startGateway({ nodeOptions });
  const order = { ...request, key: KEY, port: gateway.port, connections: 64 };
  await stand.load({ ...order, atMost: WARM_UP_REQUESTS, forMs: WARM_UP_MS });
  const before = readCpu(gateway.pid);
  const from = nowUs();
  const { requests } = await stand.load({ ...order, atMost: 1_000_000, forMs: PROFILE_MS });
  const until = nowUs();
  const cpuUs = cpuBetween(before, readCpu(gateway.pid), (pid) => pid === gateway.pid) / requests;
  await gateway.stop();

  const file = (await readdir(stand.folder)).find((name) => name.endsWith(".cpuprofile"));
  if (file === undefined) throw new BenchFailure("Node left no profile.");
  const path = join(stand.folder, file);
  if (keepIn !== undefined) await copyFile(path, join(keepIn, file));
  const frames = busyFrames(JSON.parse(await readFile(path, "utf8")), from, until);
  const places = await placesOfBundles();
  const shareUs = cpuUs / frames.length;
  process.stdout.write(`${requests} requests at ${Math.round(cpuUs)} µs of the gateway's CPU, with the profiler on.\n`);
  printTable(
    "By package, µs a request",
    frames.map((frame) => packageOf(frame, places)),
    shareUs,
  );
  printTable(
    "By function, µs a request",
    frames.map((frame) => functionOf(frame, places)),
    shareUs,
  );
}

/** The innermost function of every sample taken between two moments while the process was at work. @param {CpuProfile} profile @param {number} from @param {number} until */
function busyFrames({ nodes, samples, timeDeltas, startTime }, from, until) {
  const frameOf = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const frames = [];
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    const frame = frameOf.get(id);
    if (frame !== undefined && at >= from && at <= until && frame.functionName !== "(idle)") frames.push(frame);
  }
  return frames;
}

/** Which source file each line of each bundled file comes from: the bundler names it in a comment above. @returns {Promise<Places>} */
async function placesOfBundles() {
  const dist = new URL("../server/dist/", import.meta.url);
  const files = (await readdir(dist)).filter((file) => file.endsWith(".mjs"));
  const places = new Map();
  for (const file of files) {
    let place = "";
    const lines = (await readFile(new URL(file, dist), "utf8")).split("\n");
    places.set(
      new URL(file, dist).href,
      lines.map((line) => {
        place = /^\/\/ ((?:server|packages\/[^/]+)\/src\/\S+)$/.exec(line)?.[1] ?? place;
        return place;
      }),
    );
  }
  return places;
}

/** @param {CallFrame} frame @param {Places} places */
function packageOf(frame, places) {
  const { url, functionName } = frame;
  const dependency = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  const place = places.get(url)?.[frame.lineNumber];
  if (place !== undefined) return `ours: ${place.replace(/^server\/src\/|^packages\//, "").split("/")[0]}`;
  if (url.startsWith("node:")) return url.replace(/^(node:(?:internal\/)?[^/]+).*/, "$1");
  return url === "" ? `native ${functionName.startsWith("(") ? functionName : "built-ins"}` : url;
}

/** @param {CallFrame} frame @param {Places} places */
function functionOf(frame, places) {
  const path = fileURLToPath(frame.url.startsWith("file:") ? frame.url : "file:///");
  const file = places.get(frame.url)?.[frame.lineNumber] ?? path.replace(/^.*\/node_modules\//, "");
  return `${frame.functionName || "(anonymous)"}  ${frame.url.startsWith("node:") ? frame.url : file}:${frame.lineNumber + 1}`;
}

/** @param {string} title @param {readonly string[]} names @param {number} shareUs */
function printTable(title, names, shareUs) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const rows = [...counts].sort(([, a], [, b]) => b - a).slice(0, ROWS);
  process.stdout.write(`\n${title}\n`);
  for (const [name, count] of rows) {
    process.stdout.write(`${(count * shareUs).toFixed(1).padStart(8)}  ${name}\n`);
  }
}

function nowUs() {
  return Number(process.hrtime.bigint() / 1000n);
}

await onStand(WHOLE_MS, profile);
