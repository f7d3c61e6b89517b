import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProcessSandbox } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";
import { createTestDatabase } from "../support/test-database.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/trunkline.mjs", import.meta.url));
const KEY = "bootstrap-key-of-the-tests_1";
const sandbox = new ProcessSandbox();
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await sandbox.clear();
  await provider.stop();
});

/** The command, as an operator types it. */
function audit(folder: string, environment: Readonly<Record<string, string>>) {
  return new Promise<{ code: number | string | null | undefined; said: string }>((resolve) => {
    const env = { PATH: process.env.PATH, HOME: folder, ...environment };
    execFile(process.execPath, [PROGRAM, "audit"], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, said: stdout + stderr }),
    );
  });
}

describe("trunkline audit", () => {
  it("needs nothing of the service but where its database is", async () => {
    const database = await createTestDatabase();
    const folder = await sandbox.folder();
    await writeFile(join(folder, "trunkline.yaml"), "models: broken\n");
    const { code, said } = await audit(folder, { DATABASE_URL: database.url, PORT: "none" });
    expect(said).toContain("The database holds no data of Trunkline.");
    expect(code).toBe(2);
    const mistaken = await audit(folder, { DATABASE_URL: "mysql://localhost/x" });
    expect(mistaken.said).toContain("The variable DATABASE_URL must begin with postgres://");
    expect(mistaken.code).toBe(2);
    await database.drop();
  });

  it("finds the ledger of a service sound while it serves, and all of it sealed once it has stopped", async () => {
    const folder = await sandbox.folder();
    const environment = { TRUNKLINE_DATA_DIR: join(folder, "data"), TRUNKLINE_BOOTSTRAP_KEY: KEY };
    const service = sandbox.start(folder, environment);
    const url = await service.url();
    await call(url, "POST", "/v1/provider/models", registrationOf(provider, "plain"), { key: KEY });
    const ask = () =>
      call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key: KEY });
    for (const { status } of [await ask(), await ask()]) expect(status).toBe(200);

    const [during, answer] = await Promise.all([audit(folder, environment), ask()]);
    expect(answer.status).toBe(200);
    expect(during.said).toMatch(/The ledger is sound: /);
    expect(during.code).toBe(0);
    expect(await service.stop()).toBe(0);

    const after = await audit(folder, environment);
    // A grant, a lease, three charges, and the lease's return.
    expect(after.said).toMatch(/The ledger is sound: \d+ checks of 6 transfers\. Seal 1: [0-9a-f]{64}\n$/);
    expect(after.code).toBe(0);
    const next = sandbox.start(folder, environment);
    await next.url();
    expect(await next.stop()).toBe(0);
  });
});
