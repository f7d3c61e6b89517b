import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { ProcessSandbox } from "../support/spawned-service.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const sandbox = new ProcessSandbox();

afterAll(() => sandbox.clear());

it("`npm start` passes SIGTERM on: the service stops in order and npm ends with 0", async () => {
  const folder = await sandbox.folder();
  // What is built is not built again here, as other tests are running it.
  const npm = spawn("npm", ["start", "--ignore-scripts"], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PORT: "0",
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      // npm must not ask the network for a newer npm.
      npm_config_update_notifier: "false",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  npm.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => npm.once("close", resolve));
  await expect.poll(() => said).toContain("curl ");
  const url = / ready at (http:\/\/\S+)/.exec(said)?.[1] ?? "";
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  npm.kill("SIGTERM");
  expect(await ended).toBe(0);
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
});
