// @ts-check
/**
 * Shows where the gateway's own time goes with 64 requests at a time: `node bench/profile.mjs` after a build. `--connections=1`
 * sends one at a time, `--prompt-bytes=200000` longer prompts, `--stream` asks for streams.
 * The profile is left in the folder that is named as an argument, if one is, for a viewer such as Chrome's.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cpuBetween, readCpu } from "./cpu-time.mjs";
import { chatOrder, gatewayTarget, warmUp } from "./speed-targets.mjs";
import { busyFrames, fileOf, placesOfBundles, stagesOf } from "./stages.mjs";
import { KEY, onStand } from "./stand.mjs";
import { STREAMED_MODEL } from "./traffic.mjs";

const PROFILE_MS = 12_000;
const WHOLE_MS = 120_000;
const ROWS = 40;
const LONG_TEXTS_BYTES = 40_000_000;

const isStream = process.argv.includes("--stream");
const connections = numberOf("connections") ?? 64;
const promptBytes = numberOf("prompt-bytes");
const keepIn = process.argv.slice(2).find((word) => !word.startsWith("--"));

/** @param {import("./stand.mjs").Stand} stand */
async function profile(stand) {
  await stand.open();
  const gateway = await stand.startGateway({ data: "profile", hasChatModelsAlone: true });
  const target = gatewayTarget("Trunkline", gateway);
  await warmUp(stand, target);
  const scenario = chatOrder(target, {
    ...(isStream ? { model: STREAMED_MODEL, stream: true } : {}),
    // Few long texts, as all of them are sent to the load generator first.
    ...(promptBytes === undefined ? {} : { promptBytes, texts: Math.ceil(LONG_TEXTS_BYTES / promptBytes) }),
  });
  await gateway.probe("start", "profile");
  const before = readCpu(gateway.pid);
  const order = { ...scenario, port: gateway.port, key: KEY, connections, forMs: PROFILE_MS, atMost: 1_000_000 };
  const { requests } = await stand.load(order);
  const cpuUs = cpuBetween(before, readCpu(gateway.pid), (pid) => pid === gateway.pid) / requests;
  const recorded = await gateway.probe("stop", "profile");
  await gateway.stop();
  if (keepIn !== undefined) await writeFile(join(keepIn, "trunkline.cpuprofile"), JSON.stringify(recorded));

  process.stdout.write(`${requests} requests at ${Math.round(cpuUs)} µs of the gateway's CPU, with the profiler on.\n`);
  printRows("By stage, µs a request", await stagesOf(recorded, cpuUs));
  const places = await placesOfBundles();
  const frames = busyFrames(recorded);
  /** @type {Map<string, number>} */
  const byFunction = new Map();
  for (const frame of frames) {
    const file = fileOf(frame, places) || frame.url;
    const name = `${frame.functionName || "(anonymous)"}  ${file}:${frame.lineNumber + 1}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + cpuUs / frames.length);
  }
  printRows(
    "By function, µs a request",
    [...byFunction].sort(([, a], [, b]) => b - a),
  );
}

/** What the command line says of a number. @param {string} name */
function numberOf(name) {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`));
  return given === undefined ? undefined : Number(given.slice(given.indexOf("=") + 1));
}

/** @param {string} title @param {readonly (readonly [string, number])[]} rows */
function printRows(title, rows) {
  process.stdout.write(`\n${title}\n`);
  for (const [name, us] of rows.slice(0, ROWS)) process.stdout.write(`${us.toFixed(1).padStart(8)}  ${name}\n`);
}

await onStand(WHOLE_MS, profile);
