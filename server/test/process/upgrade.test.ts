import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createLogger } from "@trunkline/core/log.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { findRetainedBinaries } from "@trunkline/local-postgres/locate-binaries.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../src/app/config/config.ts";
import { startService } from "../../src/app/run-service.ts";
import { OLDER } from "../support/embedded-trial.ts";
import { ProcessSandbox } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/trunkline.mjs", import.meta.url));
const KEY = "bootstrap-key-of-the-tests_1";
const sandbox = new ProcessSandbox();
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
  provider.script = answerPlainly;
});
afterAll(async () => {
  await sandbox.clear();
  await provider.stop();
});

const ask = (url: string) =>
  call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key: KEY });
const read = async (url: string, path: string) => (await call(url, "GET", path, undefined, { key: KEY })).json;

/** What an earlier version of the service, with an older PostgreSQL, leaves behind. */
async function serveWithOlder(dataDir: string): Promise<void> {
  const options = { dataDir, log: () => undefined };
  const older = await startEmbeddedPostgres(options, { packageName: OLDER, retainAfterMs: 0 });
  const config = readConfig({
    PORT: "0",
    TRUNKLINE_WORKERS: "1",
    TRUNKLINE_DATA_DIR: dataDir,
    TRUNKLINE_BOOTSTRAP_KEY: KEY,
  });
  const runningService = await startService(config, createLogger("silent"), older);
  const url = / ready at (\S+)/.exec(runningService.startBanner)?.[1] ?? "";
  const made = await call(url, "POST", "/v1/provider/models", registrationOf(provider, "plain"), {
    key: KEY,
  });
  expect(made.status, made.text).toBe(201);
  expect((await ask(url)).json.cost).toBe(0.00005);
  await vi.waitFor(async () => expect(await findRetainedBinaries(join(dataDir, "postgres"), "17")).toBeDefined(), {
    timeout: 240_000,
  });
  await runningService.stop();
}

describe("a data folder of an older PostgreSQL", () => {
  it("is served with all that is in it, after one start that takes longer", async () => {
    const folder = await sandbox.folder();
    const dataDir = join(folder, "data");
    await serveWithOlder(dataDir);

    const environment = { TRUNKLINE_DATA_DIR: dataDir, TRUNKLINE_BOOTSTRAP_KEY: KEY };
    const service = sandbox.start(folder, environment);
    const url = await service.url();
    expect(service.stdout).toMatch(/Note: The data was brought over from PostgreSQL 17\. .*cluster-17/);
    expect(await read(url, "/v1/balance")).toMatchObject({ balance: 999.99995, held: 0 });
    // The credential of the model is sealed in the old rows, and is understood in the new ones.
    expect((await ask(url)).json).toEqual({ output: "A plain answer.", model_used: "plain", cost: 0.00005 });
    expect((await read(url, "/v1/requests")).data).toHaveLength(2);
    expect(await service.stop()).toBe(0);

    const env = { PATH: process.env.PATH, HOME: folder, ...environment };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "audit"], { cwd: folder, env });
    expect(stdout).toMatch(/The ledger is sound: \d+ checks of 7 transfers\. Seal 2: /);
  });
});
