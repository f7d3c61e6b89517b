import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProcessSandbox, type SpawnedService } from "../support/spawned-service.ts";
import { call } from "../support/started-service.ts";

const run = promisify(execFile);
const sandbox = new ProcessSandbox();
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
});

afterAll(async () => {
  await sandbox.clear();
  await provider.stop();
});

const KEY_PATTERN = /tl_[0-9A-Za-z]{38}/g;

/** The command that the welcome tells to paste. */
function commandIn(stdout: string): string {
  return stdout.slice(stdout.indexOf("curl ")).trim();
}

// One folder's life, from the first start on: each test goes on where the one before stopped.
describe("a data folder", () => {
  let folder: string;
  let service: SpawnedService;
  let url: string;
  let key: string;
  let firstLogin: string;

  const start = () => sandbox.start(folder, { TRUNKLINE_DATA_DIR: join(folder, "data") });
  const ask = (headers: Record<string, string> = {}) =>
    call(url, "POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key, headers });
  const balance = async () => (await call(url, "GET", "/v1/balance", undefined, { key })).json;

  /** Makes the provider wait; resolves once a request waits there. */
  async function requestInFlight(headers: Record<string, string> = {}) {
    provider.calls.length = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.script = async (response, received) => {
      await released;
      await answerPlainly(response, received);
    };
    const answer = ask(headers);
    answer.catch(() => undefined);
    await expect.poll(() => provider.calls.length).toBe(1);
    return { answer, release };
  }

  beforeAll(async () => {
    folder = await sandbox.folder();
    // So long that a stop which waits for it instead of for what runs can't be missed.
    await writeFile(join(folder, "trunkline.yaml"), "limits:\n  drain_ms: 3600000\n");
  });

  it("is made at the first start, which shows an address, a key, and a command that works when pasted", async () => {
    service = start();
    url = await service.url();
    const shown = [...new Set(service.stdout.match(KEY_PATTERN))];
    expect(shown).toHaveLength(1);
    key = shown[0] ?? "";
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const [, port, token] =
      /Open the dashboard: +http:\/\/localhost:(\d+)\/first-login#([\w-]{43})\n/.exec(service.stdout) ?? [];
    expect(url).toContain(`:${port}`);
    firstLogin = token ?? "";
    const { stdout } = await run("bash", ["-c", commandIn(service.stdout)]);
    const answer = JSON.parse(stdout);
    expect(Object.keys(answer).sort()).toEqual(["cost", "model_used", "output"]);
    expect(answer.output.length).toBeGreaterThan(20);
    expect(await balance()).toEqual({ balance: 1000, held: 0, available: 1000, currency: "credits" });
    const { headers } = await call(url, "GET", "/v1/models", undefined, { key });
    expect(headers.get("ratelimit-policy")).toBe('"default";q=1000000;w=60');
  });

  it("serves one process alone", async () => {
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.said).toMatch(/Trunkline did not start\./);
    expect(second.said).toMatch(/already uses the data in/);
    expect(second.said).not.toMatch(/\n\s+at /);
    expect((await call(url, "GET", "/healthz", undefined, { key })).status).toBe(200);
  });

  it("is left in order: running requests are answered in full and paid for, and new ones are refused", async () => {
    const made = await call(url, "POST", "/v1/provider/models", registrationOf(provider, "plain"), { key });
    expect(made.status, made.text).toBe(201);
    provider.script = answerPlainly;
    expect((await ask()).json.cost).toBe(0.00005);
    const { answer, release } = await requestInFlight();
    service.signal("SIGTERM");
    await expect
      .poll(() =>
        call(url, "GET", "/healthz", undefined, { key }).then(
          () => "answers",
          () => "refuses",
        ),
      )
      .toBe("refuses");
    release();
    expect((await answer).json).toEqual({ output: "A plain answer.", model_used: "plain", cost: 0.00005 });
    expect(await service.ended).toBe(0);
  });

  it("is found again at the next start, with its key, its balance and its models, and no key is shown", async () => {
    service = start();
    url = await service.url();
    expect(service.said.match(KEY_PATTERN)).toBeNull();
    expect(commandIn(service.stdout)).toContain("$TRUNKLINE_KEY");
    expect(service.stdout).toMatch(/\/first-login#[\w-]{43}\n/);
    const person = { email: "op@example.test", name: "Op", password: "orchid tractor velvet moon" };
    const late = await call(url, "POST", "/v1/auth/first-login", { ...person, token: firstLogin }, { key: null });
    expect(late.json.error.type).toBe("not_found");
    const token = /\/first-login#([\w-]{43})\n/.exec(service.stdout)?.[1];
    const first = await call(url, "POST", "/v1/auth/first-login", { ...person, token }, { key: null });
    expect(first.status, first.text).toBe(200);
    expect(await balance()).toMatchObject({ balance: 999.9999, held: 0 });
    provider.script = answerPlainly;
    expect((await ask()).status).toBe(200);
    expect(await balance()).toMatchObject({ balance: 999.99985 });
    const command = commandIn(service.stdout);
    const { stdout } = await run("bash", ["-c", command], { env: { ...process.env, TRUNKLINE_KEY: key } });
    expect(JSON.parse(stdout).output).toEqual(expect.any(String));
  });

  it("survives kill -9: what was answered is paid for, what was not is not, and its idempotency key is free", async () => {
    const before = (await balance()).balance;
    provider.script = answerPlainly;
    let charged = 0;
    for (let time = 0; time < 5; time++) charged += (await ask()).json.cost;
    const { answer } = await requestInFlight({ "idempotency-key": "cut-short" });
    service.signal("SIGKILL");
    await expect(answer).rejects.toThrow();
    expect(await service.ended).toBe("SIGKILL");

    service = start();
    url = await service.url();
    expect(service.stdout).toMatch(/Open the dashboard: +http:\/\/localhost:\d+\/\n/);
    expect(charged).toBeCloseTo(5 * 0.00005, 9);
    expect((await balance()).balance).toBeCloseTo(before - charged, 9);
    expect((await balance()).held).toBe(0);
    provider.script = answerPlainly;
    const again = await ask({ "idempotency-key": "cut-short" });
    expect(again.status, again.text).toBe(200);
    expect((await balance()).balance).toBeCloseTo(before - charged - 0.00005, 9);
    expect(await service.stop()).toBe(0);
  });

  it("was talked about without its key or a credential, but for the first start's one line and its command", async () => {
    expect(sandbox.said.match(KEY_PATTERN)).toEqual([key, key]);
    expect(sandbox.said).not.toContain("provider-credential-of-the-tests");
  });
});
