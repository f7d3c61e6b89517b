import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { balanceOf, openCustomer, openManagingKey } from "../support/customer.ts";
import { type Answer, type StartedService, startService, startSibling } from "../support/started-service.ts";

let first: StartedService;
let all: StartedService[];
let provider: ScriptedProvider;

beforeAll(async () => {
  first = await startService();
  all = [first, await startSibling(first), await startSibling(first)];
  provider = await startProvider();
  // Exactly one credit an answer, whatever is said: what can be served can be counted.
  const pricing = { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 };
  const made = await first.call("POST", "/v1/provider/models", registrationOf(provider, "fixed", { pricing }));
  expect(made.status, made.text).toBe(201);
  for (const service of all)
    await vi.waitUntil(() => service.services.providers.catalogue.byName("fixed").length > 0, { timeout: 240_000 });
});

beforeEach(() => {
  provider.script = answerPlainly;
});

afterAll(async () => {
  for (const service of [...all].reverse()) await service.stop();
  await provider.stop();
});

const customer = (amount: number, terms: Record<string, unknown> = {}) => openCustomer(first, amount, terms);

const ask = (service: StartedService, key: string, headers: Record<string, string> = {}) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "fixed" }, { key, headers });

/** Many at once, spread over all instances. */
const askAll = (count: number, key: string) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(all[index % all.length] ?? first, key)));

const served = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;

const balance = async (key: string) => (await balanceOf(first, key)).balance;

describe("a balance for five on three instances", () => {
  it("serves five of many who come at once, and never more", async () => {
    const { key } = await customer(5);
    const answers = await askAll(60, key);
    expect(served(answers)).toBeLessThanOrEqual(5);
    for (const { status, json } of answers) {
      if (status !== 200) expect([status, json.error.type]).toEqual([402, "insufficient_balance"]);
    }
    // A request that was refused while others held the money succeeds once they are done.
    let rest = 5 - served(answers);
    for (let turn = 0; rest > 0 && turn < 20; turn++) rest -= served([await ask(all[turn % 3] ?? first, key)]);
    expect(rest).toBe(0);
    expect(await balance(key)).toBe(0);
    expect(served(await askAll(3, key))).toBe(0);
  });

  it("lets each instance spend the last credit, wherever the slices lie", async () => {
    for (const last of all) {
      const { key } = await customer(3);
      for (const service of all.filter((one) => one !== last)) expect((await ask(service, key)).status).toBe(200);
      expect((await ask(last, key)).status).toBe(200);
      expect(await balance(key)).toBe(0);
    }
  });
});

describe("a key's budget on three instances", () => {
  it("is spent to the last credit and not further", async () => {
    const { key } = await customer(100, { budget: { limit: 5, period: "day" } });
    let count = served(await askAll(30, key));
    expect(count).toBeLessThanOrEqual(5);
    for (let turn = 0; count < 5 && turn < 20; turn++) count += served([await ask(all[turn % 3] ?? first, key)]);
    expect(count).toBe(5);
    const [refused] = await askAll(1, key);
    expect([refused?.status, refused?.json.error.type]).toEqual([402, "budget_exceeded"]);
    expect(await balance(key)).toBe(95);
  });

  it("that is lowered or raised holds everywhere as soon as the others hear of it", async () => {
    const { id, key, keyId } = await customer(100, { budget: { limit: 50, period: "total" } });
    const managing = { key: await openManagingKey(first, { id }) };
    expect(served(await askAll(3, key))).toBe(3);
    await first.call("PATCH", `/v1/keys/${keyId}`, { budget: { limit: 3, period: "total" } }, managing);
    for (const service of all) await expect.poll(async () => (await ask(service, key)).status).toBe(402);
    const spent = 100 - (await balance(key));
    await first.call("PATCH", `/v1/keys/${keyId}`, { budget: { limit: spent + 3, period: "total" } }, managing);
    for (const service of all) await expect.poll(async () => (await ask(service, key)).status).toBe(200);
    expect(served(await askAll(6, key))).toBe(0);
  });
});

describe("what is changed on one instance", () => {
  it("a revoked key is refused by all", async () => {
    const { key, keyId } = await customer(10);
    expect(served(await askAll(3, key))).toBe(3);
    expect((await first.call("DELETE", `/v1/keys/${keyId}`, undefined, { key })).status).toBe(204);
    for (const service of all) await expect.poll(async () => (await ask(service, key)).status).toBe(401);
    expect(await Promise.all(all.map(async (one) => (await ask(one, key)).status))).toEqual([401, 401, 401]);
  });

  it("an idempotent answer is given again by all, for one charge", async () => {
    const { key } = await customer(10);
    const headers = { "idempotency-key": "once" };
    const original = await ask(first, key, headers);
    for (const service of all) {
      const again = await ask(service, key, headers);
      expect(again.text).toBe(original.text);
    }
    expect(await balance(key)).toBe(9);
  });
});

it("leaves a ledger that passes the audit", async () => {
  const database = openDatabase(first.address, () => undefined);
  const { findings } = await auditLedger(database);
  await database.close();
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
});
