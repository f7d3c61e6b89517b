import { join } from "node:path";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block, processesOn, serverPidIn } from "../support/embedded-trial.ts";
import { ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";

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

// One service's life: each test goes on where the one before stopped.
describe("a service whose embedded PostgreSQL dies", () => {
  let dataDir: string;
  let service: SpawnedService;
  let url: string;

  const start = () => sandbox.start(join(dataDir, ".."), { TRUNKLINE_DATA_DIR: dataDir, TRUNKLINE_BOOTSTRAP_KEY: KEY });
  const ask = () => call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key: KEY });
  const read = (path: string) => call(url, "GET", path, undefined, { key: KEY });
  const balance = async () => (await read("/v1/balance")).json.balance;
  /** Kills the server; what it returns waits for the next one. */
  async function killServer() {
    const killed = await serverPidIn(dataDir);
    process.kill(killed, "SIGKILL");
    return async () => {
      await expect.poll(() => serverPidIn(dataDir).catch(() => killed)).not.toBe(killed);
      await expect.poll(async () => (await read("/v1/balance")).status).toBe(200);
    };
  }

  beforeAll(async () => {
    dataDir = join(await sandbox.folder(), "data");
    service = start();
    url = await service.url();
    await call(url, "POST", "/v1/provider/models", registrationOf(provider, "plain"), { key: KEY });
  });

  it("goes on with all that was answered, once it is back by itself", async () => {
    expect((await ask()).status).toBe(200);
    const isBack = await killServer();
    await isBack();
    expect(await balance()).toBe(999.99995);
    await expect.poll(async () => (await ask()).status).toBe(200);
    expect(await balance()).toBe(999.9999);
  });

  it("answers 503 meanwhile, keeps others off its data, and does not fill the log", async () => {
    const clear = await block(dataDir);
    const isBack = await killServer();
    await expect.poll(async () => (await read("/readyz")).status).toBe(503);
    for (const answer of [await ask(), await read("/v1/balance")]) expectRefusal(answer, 503, "unavailable");
    expect((await read("/healthz")).status).toBe(200);
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.said).toMatch(/Another gateway \(process \d+\) already uses the data/);
    await expect.poll(() => service.stderr).toContain("is still away");
    await clear();
    await isBack();
    await expect.poll(async () => (await ask()).status).toBe(200);
    expect(service.stderr.match(/is still away/g)).toHaveLength(1);
    expect(service.stderr.split("\n").length).toBeLessThan(60);
  });

  it("starts again with everything when both were killed", async () => {
    const before = await balance();
    await killServer();
    service.signal("SIGKILL");
    await service.ended;
    service = start();
    url = await service.url();
    expect(await balance()).toBe(before);
    expect((await ask()).status).toBe(200);
  });

  it("can be stopped meanwhile, and leaves no process behind", async () => {
    const clear = await block(dataDir);
    await killServer();
    await expect.poll(() => service.stderr).toContain("is still away");
    expect(await service.stop()).toBe(0);
    expect(await processesOn(dataDir)).toEqual([]);
    await clear();
    service = start();
    url = await service.url();
    expect(await balance()).toBeCloseTo(999.9998, 9);
  });
});
