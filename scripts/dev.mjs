// @ts-check
// `npm run dev`: the service, built and started again after each change of its sources, and the dashboard with hot reload.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { context } from "esbuild";
import { createServer } from "vite";
import { MARK } from "./build-folder.mjs";
import { bundleOptions, OUT } from "./bundle.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const GATEWAY = `http://127.0.0.1:${process.env.PORT ?? 8080}`;

/** @type {import("node:child_process").ChildProcess | undefined} */
let service;
let isStopping = false;
let lastStep = Promise.resolve();

/** Steps run one after the other: the next service needs the port and the data folder of the last. @param {() => Promise<void>} step */
function enqueue(step) {
  lastStep = lastStep.then(step);
  return lastStep;
}

async function stopService() {
  const running = service;
  service = undefined;
  if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
  const exited = once(running, "exit");
  running.kill("SIGTERM");
  await exited;
}

async function restartService() {
  await stopService();
  if (isStopping) return;
  service = spawn(process.execPath, ["--enable-source-maps", "server/bin/trunkline.mjs"], {
    cwd: ROOT,
    // One process starts sooner than several.
    env: { TRUNKLINE_WORKERS: "1", ...process.env },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/** @type {import("esbuild").Plugin} */
const restartAfterBuild = {
  name: "restart-after-build",
  setup(builder) {
    // A build that failed leaves the running service as it is; esbuild has printed why.
    builder.onEnd(({ errors }) => {
      if (errors.length === 0) void enqueue(restartService);
    });
  },
};

// What is built here takes the place of what `npm run build` made.
await rm(`${ROOT}${OUT}/${MARK}`, { force: true });
const options = bundleOptions({ main: "server/src/main.ts" });
const builder = await context({ ...options, plugins: [...(options.plugins ?? []), restartAfterBuild] });
await builder.watch();

// The service must see the browser's own Host: it refuses changes from pages of another origin.
const toService = { target: GATEWAY, changeOrigin: false };
const dashboard = await createServer({
  root: `${ROOT}web`,
  server: { proxy: { "/v1": toService, "/docs": toService, "/guide": toService, "/openapi.json": toService } },
});
await dashboard.listen();
dashboard.printUrls();

async function stop() {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([builder.dispose(), dashboard.close(), enqueue(stopService)]);
  process.exit(0);
}
process.on("SIGINT", () => void stop());
process.on("SIGTERM", () => void stop());
