import { newGate } from "@trunkline/testing/gate.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BatchTrial, jsonLines, linesOf } from "../support/batch-trial.ts";
import { ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";
import { createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";

const KEY = "bootstrap-key-of-the-tests_1";
const SECRET = "the secret of these tests";
const COST = 0.00005;
const sandbox = new ProcessSandbox();
let store: TestDatabase;
let provider: ScriptedProvider;

beforeAll(async () => {
  store = await createMigratedDatabase();
  provider = await startProvider();
});
afterAll(async () => {
  await sandbox.clear();
  await store.drop();
  await provider.stop();
});

// One service's life: each test goes on where the one before stopped.
describe("a batch whose service is killed", () => {
  let folder: string;
  let service: SpawnedService;
  let url: string;
  let id: string;

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const environment = { DATABASE_URL: store.url, TRUNKLINE_SECRET: SECRET, TRUNKLINE_BOOTSTRAP_KEY: KEY, ...more };
    service = sandbox.start(folder, environment);
    url = await service.url();
  };
  const trial = () =>
    new BatchTrial({ call: (method, path, body, options) => call(url, method, path, body, options) }, KEY);
  const spent = async () => 1000 - (await trial().call("GET", "/v1/balance")).json.balance;

  beforeAll(async () => {
    folder = await sandbox.folder();
    await start();
    await call(url, "POST", "/v1/provider/models", registrationOf(provider, "plain"), { key: KEY });
  });

  it("goes on where it was, and no line is charged twice", async () => {
    const gate = newGate();
    provider.script = async (response, asked) => {
      if (provider.calls.length > 3) await gate.opened;
      await answerPlainly(response, asked);
    };
    id = (await trial().create(jsonLines(linesOf(12)))).json.id;
    // Three are done and four are under way.
    await expect.poll(() => provider.calls.length).toBe(7);
    service.signal("SIGKILL");
    await service.ended;
    gate.open();
    await start();
    const done = await trial().until(id, "completed");
    expect(done.request_counts).toEqual({ total: 12, completed: 12, failed: 0 });
    expect(await spent()).toBeCloseTo(12 * COST, 9);
  });

  it("knows a line again that was charged, but whose answer was never noted", async () => {
    await service.stop();
    provider.script = answerPlainly;
    provider.calls.length = 0;
    // It dies at the first charge that is on disk: after the answer, before anybody has it.
    await start({ TRUNKLINE_CRASH_POINTS: "seed=1,after-commit=1" });
    const created = await trial()
      .create(jsonLines(linesOf(1)))
      .catch(() => undefined);
    await service.ended;
    expect(service.stderr).toContain("after-commit");
    await start();
    const [{ id: batchId }] = (await trial().call("GET", "/v1/batches?limit=1")).json.data;
    expect(created === undefined || created.json.id === batchId).toBe(true);
    const done = await trial().until(batchId, "completed");
    const [result] = await trial().results(done.output_file_id);
    expect(result.response.body.output).toBe("A plain answer.");
    expect(provider.calls).toHaveLength(1);
    expect(await spent()).toBeCloseTo(13 * COST, 9);
    expect((await trial().call("GET", `/v1/requests/${result.response.request_id}`)).json.cost).toBe(COST);
  });
});
