// @ts-check
/** The test stand: everything that runs during a measurement, on loopback and in one temporary folder. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BenchFailure } from "./bench-failure.mjs";
import { bareProxy, fixedAnswer, nginxConfig, nginxPath, requireNginx } from "./nginx.mjs";
import { endOrphans, treeOf } from "./process-tree.mjs";
import { CHAT_MODEL, HELD_MODEL, SLOW_MODEL, STREAMED_MODEL } from "./traffic.mjs";
import { MODEL_OF_WIRE } from "./wire-traffic.mjs";

/** @typedef {import("node:child_process").ChildProcess} Process */
/** @typedef {import("./probe.mjs").ProbeCommand} ProbeCommand */
/** @typedef {ProbeCommand["kind"]} ProbeKind */
/** @typedef {ProbeCommand["what"]} ProbeSubject */
/** @typedef {{ pid: number, port: number, url: string, dataDir: string, readyMs: number, stop: () => Promise<void>, probe: (kind: ProbeKind, what: ProbeSubject) => Promise<any> }} Gateway */
/** @typedef {import("./load.mjs").LoadOrder} LoadOrder */
/** @typedef {import("./load.mjs").LoadResult} LoadResult */

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;
/** How long a load may take over its own time before it counts as hung. */
const ANSWER_LIMIT_MS = 60_000;
const PROBE_LIMIT_MS = 30_000;
const MODELS = 20;

const PRODUCT = fileURLToPath(new URL("../server/bin/trunkline.mjs", import.meta.url));
const PROBE = fileURLToPath(new URL("probe.mjs", import.meta.url));

export const KEY = "bench-key-for-loopback-only";

/** Everything that is started here is stopped by `close`, in reverse order. */
export class Stand {
  folder = "";
  wholePort = 0;
  slowPort = 0;
  wirePort = 0;
  proxyPort = 0;
  proxyPid = 0;
  /** The load generator, once it runs. @type {Process[]} */
  #loads = [];
  /** @type {(() => Promise<unknown>)[]} */
  #cleanups = [];
  #closed = false;

  /** The upstreams, nginx in front of them, and the load generator. */
  async open() {
    requireNginx();
    this.folder = await mkdtemp(join(tmpdir(), "trunkline-bench-"));
    this.#cleanups.push(() => rm(this.folder, { recursive: true, force: true }));
    // PostgreSQL may run as another account, which must be able to pass.
    await chmod(this.folder, 0o755);
    this.wholePort = await findFreePort();
    this.slowPort = await findFreePort();
    this.wirePort = await findFreePort();
    this.proxyPort = await findFreePort();
    await this.#startNginx("upstream", this.wholePort, fixedAnswer());
    this.proxyPid = await this.#startNginx("proxy", this.proxyPort, bareProxy(this.wholePort, this.wirePort));
    this.#fork("slow.mjs", [String(this.slowPort)]);
    this.#fork("wire-upstream.mjs", [String(this.wirePort)]);
    await untilOpen(this.wirePort);
    await untilOpen(this.slowPort);
    this.#loads.push(this.#fork("load.mjs", []));
  }

  /**
   * Starts a gateway on one of the stand's data folders: the first time that folder is empty. It can be probed.
   * @param {{ program?: string, data?: string, workers?: number, node?: string, hasChatModelsAlone?: boolean, chatModels?: number, variables?: Readonly<Record<string, string>> }} [how]
   * @returns {Promise<Gateway>}
   */
  async startGateway(how = {}) {
    const { program = PRODUCT, data = "data", workers = 1, node = process.execPath } = how;
    const { hasChatModelsAlone = false, chatModels = MODELS, variables = {} } = how;
    const config = join(this.folder, `trunkline-${data}.yaml`);
    const dataDir = join(this.folder, data);
    const probeFolder = join(this.folder, `probe-${data}`);
    await mkdir(probeFolder, { recursive: true });
    const models = [
      ...chatModelsAt(chatModels, this.wholePort, this.wirePort),
      ...(hasChatModelsAlone
        ? []
        : [...contractModelsAt(this.wholePort, this.slowPort), ...wireModelsAt(this.wirePort)]),
    ];
    // One account opens all the streams of the memory measurement, and with two workers one may get most of them.
    const limits = { concurrent_requests: 4_000, account_concurrent_requests: 4_000 };
    await writeFile(config, JSON.stringify({ models, limits }));
    this.#refuseWhenClosed();
    const startedAt = performance.now();
    const child = spawn(node, ["--no-memory-reducer", "--import", PROBE, program], {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        PORT: "0",
        TRUNKLINE_DATA_DIR: dataDir,
        TRUNKLINE_CONFIG: config,
        TRUNKLINE_BOOTSTRAP_KEY: KEY,
        TRUNKLINE_LOG_LEVEL: "error",
        TRUNKLINE_DISCOVERY: "off",
        TRUNKLINE_WORKERS: String(workers),
        BENCH_PROBE: probeFolder,
        NODE_ENV: "production",
        ...variables,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const stop = this.#stopLater(child, "The gateway");
    const url = await readAddress(child);
    const readyMs = performance.now() - startedAt;
    const ready = await fetch(`${url}/readyz`);
    if (ready.status !== 200) throw new BenchFailure(`The gateway says that it is not ready: ${ready.status}.`);
    const pid = child.pid ?? 0;
    const probe = (/** @type {ProbeKind} */ kind, /** @type {ProbeSubject} */ what) =>
      probeProcess(pid, probeFolder, { kind, what, file: `${kind}-${what}-${performance.now()}` });
    return { pid, port: Number(new URL(url).port), url, dataDir, readyMs, stop, probe };
  }

  /** Starts a receiver of telemetry. Returns its address. */
  async startReceiver() {
    const port = await findFreePort();
    this.#fork("otlp-receiver.mjs", [String(port)]);
    await untilOpen(port);
    return `http://127.0.0.1:${port}`;
  }

  /** Starts Portkey's gateway. @param {string} program @returns {Promise<{ pid: number, port: number, stop: () => Promise<void> }>} */
  async startPortkey(program) {
    const port = await findFreePort();
    this.#refuseWhenClosed();
    const child = spawn(process.execPath, [program, "--headless", `--port=${port}`], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, NODE_ENV: "production" },
      // What it logs of every failure is of no use here.
      stdio: "ignore",
    });
    const stop = this.#stopLater(child, "Portkey's gateway");
    await untilOpen(port);
    return { pid: child.pid ?? 0, port, stop };
  }

  /** Puts load on a port and waits for its figures. @param {LoadOrder} order @returns {Promise<LoadResult>} */
  async load(order) {
    const [load] = this.#loads;
    if (load === undefined) throw new Error("The stand is not open.");
    load.send(order);
    const limit = AbortSignal.timeout(order.forMs + ANSWER_LIMIT_MS);
    const [result] = await once(load, "message", { signal: limit }).catch(() => {
      throw new BenchFailure(`No end of the load on ${order.path}: an answer did not come.`);
    });
    if (result.failures > 0) throw new BenchFailure(`An answer was not a good 200:\n${result.firstFailure}`);
    return result;
  }

  async close() {
    this.#closed = true;
    for (const cleanUp of this.#cleanups.reverse()) {
      await cleanUp().catch((error) => {
        process.stderr.write(`${error.message}\n`);
        process.exitCode = 1;
      });
    }
  }

  /** Runs something when the stand is closed. @param {() => Promise<unknown>} cleanUp */
  defer(cleanUp) {
    this.#cleanups.push(cleanUp);
  }

  /** @param {string} name @param {number} port @param {string} server @returns {Promise<number>} */
  async #startNginx(name, port, server) {
    const folder = join(this.folder, name);
    await mkdir(folder);
    await writeFile(join(folder, "nginx.conf"), nginxConfig(port, server));
    this.#refuseWhenClosed();
    const words = ["-p", folder, "-c", "nginx.conf", "-e", "stderr"];
    const child = spawn("nginx", words, { env: nginxPath(), stdio: ["ignore", "ignore", "inherit"] });
    this.#stopLater(child, "nginx");
    await untilOpen(port);
    return child.pid ?? 0;
  }

  /** @param {string} file @param {string[]} words */
  #fork(file, words) {
    this.#refuseWhenClosed();
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), words);
    this.#stopLater(child, file);
    return child;
  }

  /** Called right before a start: a process that is started while the stand closes would outlive it. */
  #refuseWhenClosed() {
    if (this.#closed) throw new BenchFailure("The stand is closed.");
  }

  /** @param {Process} child @param {string} name @returns {() => Promise<void>} */
  #stopLater(child, name) {
    const ended = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
    const stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const family = treeOf(child.pid);
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      await ended;
      clearTimeout(late);
      // A gateway that is stopped while it starts leaves its PostgreSQL to the next start.
      await endOrphans(family);
      if (child.signalCode === "SIGKILL" || (child.exitCode ?? 0) > 0)
        throw new BenchFailure(`${name} did not stop in order.`);
    };
    this.#cleanups.push(stop);
    return stop;
  }
}

/** Models in OpenAI's format, of which one streams and one pauses in the middle of its stream. @param {number} count @param {number} wholePort @param {number} wirePort */
function chatModelsAt(count, wholePort, wirePort) {
  const others = Array.from({ length: count - 3 }, (_, index) => `model-${index}`);
  return [CHAT_MODEL, STREAMED_MODEL, HELD_MODEL, ...others].map((name, index) => ({
    name,
    wire: "openai",
    type: "multimodal",
    endpoint: `http://127.0.0.1:${name === STREAMED_MODEL || name === HELD_MODEL ? wirePort : wholePort}/v1`,
    upstream_model: name,
    credential: "bench-credential",
    pricing: { input_per_1k_tokens: (index + 1) / 100_000, output_per_1k_tokens: (index + 1) / 50_000 },
    streaming: true,
    context_window: 2_000_000,
    max_output_tokens: 4_096,
  }));
}

/** Models of our own contract that differ in price; the slow one is the dearest. @param {number} wholePort @param {number} slowPort */
function contractModelsAt(wholePort, slowPort) {
  const model = (/** @type {string} */ name, /** @type {number} */ port, /** @type {number} */ price) => ({
    name,
    type: "text",
    endpoint: `http://127.0.0.1:${port}/v1/generate`,
    credential: "bench-credential",
    pricing: { input_per_1k_tokens: price, output_per_1k_tokens: price * 2 },
    capabilities: ["chat"],
  });
  return [
    model("bench-small", wholePort, 0.000001),
    model("bench-medium", wholePort, 0.000002),
    model(SLOW_MODEL, slowPort, 0.000004),
  ];
}

/** One model for each wire format, too dear to be chosen by anyone who does not name it. @param {number} port */
function wireModelsAt(port) {
  return Object.entries(MODEL_OF_WIRE).map(([wire, name]) => ({
    name,
    wire,
    type: "text",
    endpoint: `http://127.0.0.1:${port}${wire === "trunkline" ? "/v1/generate" : "/v1"}`,
    credential: "bench-credential",
    pricing: { input_per_1k_tokens: 0.00001, output_per_1k_tokens: 0.00002 },
    capabilities: ["chat"],
    streaming: true,
  }));
}

/** Gives a command to the probe in a process and waits for its result. @param {number} pid @param {string} folder @param {ProbeCommand} command */
async function probeProcess(pid, folder, command) {
  await writeFile(join(folder, "command"), JSON.stringify(command));
  process.kill(pid, "SIGUSR2");
  const file = join(folder, command.file);
  const deadline = performance.now() + PROBE_LIMIT_MS;
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new BenchFailure("The probe in the gateway did not answer.");
    await wait(10);
  }
  return JSON.parse(await readFile(file, "utf8"));
}

/** @param {Process} child @returns {Promise<string>} */
function readAddress(child) {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (/** @type {string} */ why) => reject(new BenchFailure(`The gateway ${why}.\n${said}`));
    const late = setTimeout(() => fail("was not ready in time"), START_LIMIT_MS);
    child.once("exit", () => fail("did not start"));
    child.stdout?.on("data", (piece) => {
      said += piece;
      const url = /is ready at (http:\S+)/.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    });
  });
}

/** @returns {Promise<number>} */
async function findFreePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** @param {number} port */
async function untilOpen(port) {
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(10);
  }
  throw new BenchFailure(`Nothing listens on port ${port}.`);
}

/** Runs `work` on a new stand and always closes it. A failure ends the process with a message. @param {number} limitMs @param {(stand: Stand) => Promise<void>} work */
export async function onStand(limitMs, work) {
  const stand = new Stand();
  const cutShort = new Promise((_, reject) => {
    const fail = (/** @type {string} */ why) => reject(new BenchFailure(why));
    setTimeout(fail, limitMs, `It took longer than ${limitMs / 1000} s.`).unref();
    // A second signal must not keep the stand from closing.
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => fail("It was told to stop."));
  });
  try {
    await Promise.race([work(stand), cutShort]);
  } catch (error) {
    const text = error instanceof BenchFailure ? error.message : error instanceof Error ? error.stack : error;
    process.stderr.write(`${String(text)}\n`);
    process.exitCode = 1;
  } finally {
    await stand.close();
  }
}
