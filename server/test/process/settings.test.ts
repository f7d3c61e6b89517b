import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import { answerPlainly, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_LAME_DUCK, ProcessSandbox } from "../support/spawned-service.ts";
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

describe("a bootstrap key", () => {
  it("has every scope, 1,000 credits and a high limit, and stays when another is given", async () => {
    const environment = await onPostgres();
    const first = sandbox.start(await sandbox.folder(), environment);
    let url = await first.url();
    const balance = await call(url, "GET", "/v1/balance", undefined, { key: KEY });
    expect(balance.json).toMatchObject({ balance: 1000, held: 0 });
    expect(balance.headers.get("ratelimit-policy")).toBe('"default";q=1000000;w=60');
    const { json } = await call(url, "GET", "/v1/keys", undefined, { key: KEY });
    expect(json.data).toHaveLength(1);
    expect(json.data[0].scopes.toSorted()).toEqual(["admin", "billing", "inference", "manage", "provider", "read"]);
    expect(await first.stop()).toBe(0);

    const second = sandbox.start(await sandbox.folder(), {
      ...environment,
      TRUNKLINE_BOOTSTRAP_KEY: OTHER_KEY,
    });
    url = await second.url();
    for (const key of [KEY, OTHER_KEY]) {
      expect((await call(url, "GET", "/v1/balance", undefined, { key })).json.balance).toBe(1000);
    }
    second.signal("SIGINT");
    expect(await second.ended).toBe(0);
  });
});

describe("a model in the configuration file", () => {
  it("works, and is gone when it is dropped from the file", async () => {
    const environment = { ...(await onPostgres()), MODEL_CREDENTIAL: CREDENTIAL };
    const { folder, path } = await fileWith(declared("declared"));
    const service = sandbox.start(folder, environment);
    let url = await service.url();
    const ask = () =>
      call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "declared" }, { key: KEY });
    expect((await ask()).json).toEqual({ output: "A plain answer.", model_used: "declared", cost: 0.00005 });
    expect(provider.calls[0]?.headers.authorization).toBe(`Bearer ${CREDENTIAL}`);
    const changed = await call(url, "PATCH", "/v1/provider/models/declared", { description: "x" }, { key: KEY });
    expect(changed.status).toBe(409);
    expect(await service.stop()).toBe(0);

    await writeFile(path, declared("successor"));
    const next = sandbox.start(folder, environment);
    url = await next.url();
    expect((await ask()).status).toBe(404);
    const { json } = await call(url, "GET", "/v1/models?provider=operator", undefined, { key: KEY });
    expect(json).toEqual([{ name: "successor", type: "text" }]);
    expect(await next.stop()).toBe(0);
  });

  it("is refused where its credential is not set", async () => {
    const { folder } = await fileWith(declared("declared"));
    const service = sandbox.start(folder, await onPostgres());
    expect(await service.ended).toBe(1);
    expect(service.said).toMatch(/MODEL_CREDENTIAL/);
  });
});

describe("a service that load balancers look at", () => {
  it("says that it stops, and answers until they have noticed", async () => {
    const environment = await onPostgres();
    // So long that it can't be over before the last request here.
    const { folder } = await fileWith("limits: { lame_duck_ms: 600000 }\n");
    const service = sandbox.start(folder, environment);
    const url = await service.url();
    const read = (path: string) => call(url, "GET", path, undefined, { key: KEY });
    expect((await read("/readyz")).status).toBe(200);
    service.signal("SIGTERM");
    await expect.poll(async () => (await read("/readyz")).status).toBe(503);
    expect((await read("/v1/balance")).status).toBe(200);
    service.signal("SIGKILL");
    expect(await service.ended).toBe("SIGKILL");
  });
});

describe("a client that does not go when the service must", () => {
  it("is cut off after the time that the file allows, and the money is settled", async () => {
    const environment = { ...(await onPostgres()), MODEL_CREDENTIAL: CREDENTIAL };
    const { folder } = await fileWith(
      declared("endless", `    streaming: true\nlimits: { ${NO_LAME_DUCK}, drain_ms: 300 }\n`),
    );
    const service = sandbox.start(folder, environment);
    const url = await service.url();
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
    service.signal("SIGTERM");
    expect(await service.ended).toBe(0);
    await provider.calls[0]?.aborted;
    deaf.hangUp();

    const next = sandbox.start(folder, environment);
    const after = await call(await next.url(), "GET", "/v1/balance", undefined, { key: KEY });
    expect(after.json.held).toBe(0);
    expect(after.json.balance).toBeLessThan(1000);
    expect(await next.stop()).toBe(0);
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
