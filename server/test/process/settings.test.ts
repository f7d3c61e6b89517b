import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import { answerPlainly, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_LAME_DUCK, ProcessSandbox, runCommand, type SpawnedService } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";
import { createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";

const sandbox = new ProcessSandbox();
const databases: TestDatabase[] = [];
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

afterAll(async () => {
  await sandbox.clear();
  for (const database of databases) await database.drop();
  await provider.stop();
  // Not one of these processes has said a secret.
  for (const secret of [KEY, OTHER_KEY, SECRET, CREDENTIAL]) expect(sandbox.said).not.toContain(secret);
});

const KEY = "bootstrap-key-of-the-tests_1";
const OTHER_KEY = "another-bootstrap-key-2";
const SECRET = "a secret that is long enough";
const CREDENTIAL = "provider-credential-of-the-tests";

/** The variables of a service on a store of its own, which starts faster than an embedded one. */
async function onPostgres(): Promise<Record<string, string>> {
  const database = await createMigratedDatabase();
  databases.push(database);
  return { DATABASE_URL: database.url, TRUNKLINE_SECRET: SECRET, TRUNKLINE_BOOTSTRAP_KEY: KEY };
}

async function fileWith(yaml: string): Promise<{ folder: string; path: string }> {
  const folder = await sandbox.folder();
  const path = join(folder, "trunkline.yaml");
  await writeFile(path, yaml);
  return { folder, path };
}

const declared = (name: string, more = `limits: { ${NO_LAME_DUCK} }`) => `
models:
  - name: ${name}
    type: text
    endpoint: ${provider.endpoint}
    credential_env: MODEL_CREDENTIAL
    pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 }
${more}`;

describe("settings that are read again", () => {
  it("hold without a restart, by the command and by SIGHUP, and a mistake leaves those before", async () => {
    const { folder, path } = await fileWith(declared("first"));
    const variables = {
      ...(await onPostgres()),
      MODEL_CREDENTIAL: CREDENTIAL,
      TRUNKLINE_CONTROL_SOCKET: join(folder, "control.sock"),
    };
    const service = sandbox.start(folder, variables);
    const url = await service.url();
    const ask = (model: string) =>
      call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model }, { key: KEY });
    expect((await ask("second")).status).toBe(404);
    await writeFile(path, declared("second"));
    expect(await runCommand(folder, variables, "reload")).toEqual({
      code: 0,
      text: "The configuration was read again. Changed: models.\n",
    });
    expect((await ask("second")).status).toBe(200);
    expect((await ask("first")).status).toBe(404);
    await writeFile(path, "limits: { burst: many }");
    expect(await runCommand(folder, variables, "reload")).toMatchObject({
      code: 1,
      text: expect.stringMatching(/^The configuration was not taken over.*trunkline\.yaml, line 1: limits\.burst /),
    });
    expect((await ask("second")).status).toBe(200);
    await writeFile(path, declared("third"));
    service.signal("SIGHUP");
    await expect.poll(async () => (await ask("third")).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(await runCommand(folder, variables, "reload")).toMatchObject({
      code: 1,
      text: expect.stringContaining("No service takes orders"),
    });
  });
});

describe("a mistake in the settings", () => {
  it.each([
    ["PORT", { PORT: "eighty" }, /PORT/],
    ["DATABASE_URL", { DATABASE_URL: "postgres://localhost/x" }, /TRUNKLINE_SECRET/],
    ["TRUNKLINE_BOOTSTRAP_KEY", { TRUNKLINE_BOOTSTRAP_KEY: "too-short" }, /TRUNKLINE_BOOTSTRAP_KEY.*16 to 128/],
    ["TRUNKLINE_WORKERS", { TRUNKLINE_WORKERS: "two" }, /TRUNKLINE_WORKERS must be a whole number\./],
    ["TRUNKLINE_CONFIG", { TRUNKLINE_CONFIG: "/no/such/file.yaml" }, /\/no\/such\/file\.yaml.*does not exist/],
  ])("is one sentence and exit code 1: %s", async (_name, environment, message) => {
    const service = sandbox.start(await sandbox.folder(), environment);
    expect(await service.ended).toBe(1);
    expect(service.said).toMatch(/Trunkline did not start\./);
    expect(service.said).toMatch(message);
    expect(service.said).not.toMatch(/\n\s+at /);
  });

  it("of the file is reported with file, line and field", async () => {
    const { folder, path } = await fileWith(declared("a").replace("0.001", "-1"));
    const service = sandbox.start(folder, { MODEL_CREDENTIAL: CREDENTIAL });
    expect(await service.ended).toBe(1);
    expect(service.said).toContain(`${path}, line 7: models[0].pricing.input_per_1k_tokens `);
  });

  it("of the file's form is reported with its line", async () => {
    const { folder, path } = await fileWith("models:\n  - name: a\n   type: text\n");
    const service = sandbox.start(folder, { TRUNKLINE_CONFIG: path });
    expect(await service.ended).toBe(1);
    expect(service.said).toMatch(/trunkline\.yaml, line [23]: /);
  });

  it("is an address that is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const service = sandbox.start(await sandbox.folder(), { ...(await onPostgres()), PORT: String(port) });
    expect(await service.ended).toBe(1);
    expect(service.said).toMatch(/in use/);
    expect(service.said).toMatch(/PORT/);
    await new Promise((resolve) => taken.close(resolve));
  });
});

// One store through three lives of a service: each test goes on where the one before stopped.
describe("a service that is started again with other settings", () => {
  let environment: Record<string, string>;
  let folder: string;
  let path: string;
  let service: SpawnedService;
  let url: string;

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    service = sandbox.start(folder, { ...environment, ...more });
    url = await service.url();
  };
  const read = (from: string, key = KEY) => call(url, "GET", from, undefined, { key });
  const ask = () =>
    call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "declared" }, { key: KEY });

  beforeAll(async () => {
    environment = { ...(await onPostgres()), MODEL_CREDENTIAL: CREDENTIAL };
    ({ folder, path } = await fileWith(declared("declared")));
    await start();
  });

  it("has a bootstrap key with every scope, 1,000 credits and a high limit", async () => {
    const balance = await read("/v1/balance");
    expect(balance.json).toMatchObject({ balance: 1000, held: 0 });
    expect(balance.headers.get("ratelimit-policy")).toBe('"default";q=1000000;w=60');
    const { json } = await read("/v1/keys");
    expect(json.data).toHaveLength(1);
    expect(json.data[0].scopes.toSorted()).toEqual([
      "admin",
      "billing",
      "directory",
      "inference",
      "manage",
      "provider",
      "read",
    ]);
  });

  it("has the models of its configuration file, which only the file changes", async () => {
    expect((await ask()).json).toEqual({ output: "A plain answer.", model_used: "declared", cost: 0.00005 });
    expect(provider.calls[0]?.headers.authorization).toBe(`Bearer ${CREDENTIAL}`);
    const changed = await call(url, "PATCH", "/v1/provider/models/declared", { description: "x" }, { key: KEY });
    expect(changed.status).toBe(409);
    expect(await service.stop()).toBe(0);
  });

  it("keeps the key when another is given, and drops a model that is gone from the file", async () => {
    await writeFile(path, declared("endless", `    streaming: true\nlimits: { ${NO_LAME_DUCK}, drain_ms: 300 }\n`));
    await start({ TRUNKLINE_BOOTSTRAP_KEY: OTHER_KEY });
    for (const key of [KEY, OTHER_KEY]) expect((await read("/v1/balance", key)).json.balance).toBe(999.99995);
    expect((await ask()).status).toBe(404);
    expect((await read("/v1/models?provider=operator")).json).toEqual([{ name: "endless", type: "text" }]);
  });

  it("cuts off a client that does not go, after the time that the file allows", async () => {
    const body = JSON.stringify({ input: "Hello", model: "endless" });
    const request =
      head(
        "POST /v1/stream HTTP/1.1",
        "Host: trunkline",
        `Authorization: Bearer ${KEY}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ) + body;
    const piece = `${JSON.stringify({ delta: "words and more words ".repeat(400) })}\n`;
    provider.script = async (response, { body: { input } }) => {
      if (input !== "Hello") return;
      const flood = setInterval(() => response.writableNeedDrain || response.write(piece), 1);
      response.on("close", () => clearInterval(flood));
    };
    const deaf = await RawConnection.open(url);
    deaf.send(request);
    await deaf.receives("words");
    deaf.pause();
    await expect.poll(() => provider.calls.length).toBe(1);
    service.signal("SIGINT");
    expect(await service.ended).toBe(0);
    await provider.calls[0]?.aborted;
    deaf.hangUp();
  });

  it("has settled the money of that client", async () => {
    // So long that it can't be over before the last request here.
    await writeFile(path, "limits: { lame_duck_ms: 600000 }\n");
    await start();
    const { json } = await read("/v1/balance");
    expect(json.held).toBe(0);
    expect(json.balance).toBeLessThan(999.99995);
  });

  it("tells load balancers that it stops, and answers until they have noticed", async () => {
    expect((await read("/readyz")).status).toBe(200);
    service.signal("SIGTERM");
    await expect.poll(async () => (await read("/readyz")).status).toBe(503);
    expect((await read("/v1/balance")).status).toBe(200);
    service.signal("SIGKILL");
    expect(await service.ended).toBe("SIGKILL");
  });
});

describe("a model in the configuration file", () => {
  it("is refused where its credential is not set", async () => {
    const { folder } = await fileWith(declared("declared"));
    const service = sandbox.start(folder, await onPostgres());
    expect(await service.ended).toBe(1);
    expect(service.said).toMatch(/MODEL_CREDENTIAL/);
  });
});

describe("two instances on one store", () => {
  it("never spend a credit twice, and a key that one revokes is gone from the other", async () => {
    const environment = { ...(await onPostgres()), MODEL_CREDENTIAL: CREDENTIAL };
    const { folder } = await fileWith(
      declared("fixed")
        .replace("output_per_1k_tokens: 0.002", "output_per_1k_tokens: 0, per_request: 1")
        .replace("0.001", "0"),
    );
    const services = [sandbox.start(folder, environment), sandbox.start(folder, environment)];
    const urls = await Promise.all(services.map((service) => service.url()));
    const [one = "", two = ""] = urls;
    const operator = { key: KEY };
    const account = await call(one, "POST", "/v1/admin/accounts", { name: "Customer" }, operator);
    const { id } = account.json;
    await call(two, "POST", `/v1/admin/accounts/${id}/grants`, { amount: 7 }, operator);
    const made = await call(
      one,
      "POST",
      `/v1/admin/accounts/${id}/keys`,
      { name: "k", scopes: ["inference", "read", "manage"] },
      operator,
    );
    const { key } = made.json;

    const ask = (url: string) =>
      call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "fixed" }, { key });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => ask(at % 2 === 0 ? one : two)));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThanOrEqual(7);
    expect(answers.every(({ status }) => status === 200 || status === 402)).toBe(true);
    for (const url of urls) {
      const { json } = await call(url, "GET", "/v1/balance", undefined, { key });
      expect(json).toMatchObject({ balance: 7 - served });
    }
    expect(provider.calls).toHaveLength(served);

    expect((await call(two, "GET", "/v1/balance", undefined, { key })).status).toBe(200);
    await call(one, "DELETE", `/v1/keys/${made.json.id}`, undefined, { key });
    await expect
      .poll(async () => (await call(two, "GET", "/v1/balance", undefined, { key })).status, { interval: 20 })
      .toBe(401);
    for (const service of services) expect(await service.stop()).toBe(0);
  });
});
