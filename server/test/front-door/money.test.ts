import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openManagingKey } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "flowing", { streaming: true }));
  await service.call(
    "POST",
    "/v1/provider/models",
    registrationOf(provider, "fixed", {
      pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 },
    }),
  );
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** A new account with a balance, and a key of its own. */
async function customer(amount: number, terms: Record<string, unknown> = {}) {
  const account = await service.call("POST", "/v1/admin/accounts", { name: "Customer" });
  if (amount > 0) await service.call("POST", `/v1/admin/accounts/${account.json.id}/grants`, { amount });
  const scopes = ["inference", "read", "manage", "provider"];
  const key = await service.call("POST", `/v1/admin/accounts/${account.json.id}/keys`, {
    name: "k",
    scopes,
    ...terms,
  });
  expect(key.status).toBe(201);
  return { id: account.json.id as string, key: key.json.key as string, keyId: key.json.id as string };
}

const ask = (key: string, model: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model, ...more }, { key, headers });

const balance = async (key: string) => (await service.call("GET", "/v1/balance", undefined, { key })).json;

describe("the balance", () => {
  it("falls by exactly what the answers said they cost, and usage agrees", async () => {
    const { key } = await customer(1);
    const costs = [];
    for (let i = 0; i < 5; i++) costs.push((await ask(key, "plain")).json.cost);
    expect(costs).toEqual(Array(5).fill(0.00005));
    expect(await balance(key)).toEqual({
      balance: 0.99975,
      held: 0,
      available: 0.99975,
      currency: "credits",
    });
    expect((await service.call("GET", "/v1/usage", undefined, { key })).json).toEqual({
      requests: 5,
      cost: 0.00025,
    });
  });

  it("is never overdrawn by concurrent requests, and its last credit can be spent", async () => {
    const { key } = await customer(5);
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(key, "fixed")));
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(55);
    expect(await balance(key)).toMatchObject({ balance: 0, held: 0 });
    expect(provider.calls).toHaveLength(5);
  });

  it("refuses with 402 before any provider is called", async () => {
    const { key } = await customer(0);
    const { status, json } = await ask(key, "plain");
    expect(status).toBe(402);
    expect(json.error.type).toBe("insufficient_balance");
    expect(provider.calls).toHaveLength(0);
  });

  it("shows what running requests hold", async () => {
    const { key } = await customer(5);
    let release = () => {};
    provider.script = async (response, call) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await answerPlainly(response, call);
    };
    const running = ask(key, "fixed");
    await expect.poll(() => provider.calls.length).toBe(1);
    expect(await balance(key)).toEqual({ balance: 5, held: 1, available: 4, currency: "credits" });
    release();
    expect((await running).status).toBe(200);
    expect(await balance(key)).toMatchObject({ balance: 4, held: 0 });
  });
});

describe("a key's budget", () => {
  it("is a wall of its own, whatever the balance", async () => {
    const { key } = await customer(50, { budget: { limit: 3, period: "day" } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(key, "fixed")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.json.error.type).toBe("budget_exceeded");
    expect(await balance(key)).toMatchObject({ balance: 47 });
  });

  it("can be raised and holds at once", async () => {
    const { id, key, keyId } = await customer(50, { budget: { limit: 1, period: "total" } });
    const managingKey = await openManagingKey(service, { id });
    expect((await ask(key, "fixed")).status).toBe(200);
    expect((await ask(key, "fixed")).status).toBe(402);
    await service.call("PATCH", `/v1/keys/${keyId}`, { budget: { limit: 2, period: "total" } }, { key: managingKey });
    expect((await ask(key, "fixed")).status).toBe(200);
    expect((await ask(key, "fixed")).status).toBe(402);
  });
});

describe("what is charged", () => {
  it("is our own count where the provider's is missing or a lie, and the record says so", async () => {
    const { key } = await customer(1);
    const lies = [
      undefined,
      { input_tokens: -5, output_tokens: 10 },
      { input_tokens: 1_000_000_000, output_tokens: 1 },
      { input_tokens: 1.5, output_tokens: 1 },
      { input_tokens: "10", output_tokens: "20" },
      { input_tokens: 1 },
    ];
    for (const usage of lies) {
      provider.script = (response) => void response.end(JSON.stringify({ output: "Fine.", usage }));
      const { headers, json } = await ask(key, "plain");
      // "Hello" is one token, "Fine." is two: 1 × 0.001 + 2 × 0.002 per thousand.
      expect(json.cost).toBe(0.000005);
      const record = await service.call("GET", `/v1/requests/${headers.get("x-request-id")}`, undefined, {
        key,
      });
      expect(record.json.usage_source).toBe("own");
    }
  });

  it("never goes beyond max_tokens", async () => {
    const { key } = await customer(1);
    provider.script = (response) =>
      void response.end(
        JSON.stringify({ output: "one two three four five", usage: { input_tokens: 1, output_tokens: 500 } }),
      );
    const { json } = await ask(key, "plain", { parameters: { max_tokens: 2 } });
    expect(json.cost).toBe(0.000005);
  });

  it("is the price that was quoted, even if it changes while the request runs", async () => {
    await service.call(
      "POST",
      "/v1/provider/models",
      registrationOf(provider, "moving", {
        pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 1 },
      }),
    );
    const { key } = await customer(10);
    provider.script = async (response, call) => {
      await service.call("PATCH", "/v1/provider/models/moving", {
        pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 2 },
      });
      await answerPlainly(response, call);
    };
    expect((await ask(key, "moving")).json.cost).toBe(1);
    provider.script = answerPlainly;
    expect((await ask(key, "moving")).json.cost).toBe(2);
  });
});

describe("an idempotency key", () => {
  it("makes one run and one charge, and replays status and body", async () => {
    const { key } = await customer(10);
    const first = await ask(key, "fixed", {}, { "idempotency-key": "order-1" });
    const again = await ask(key, "fixed", {}, { "idempotency-key": "order-1" });
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(provider.calls).toHaveLength(1);
    expect(await balance(key)).toMatchObject({ balance: 9 });
  });

  it("replays a stream line by line, and a provider's failure", async () => {
    const { key } = await customer(10);
    provider.script = (response) => void response.end('{"delta":"a"}{"delta":"b"}{"done":true}');
    const body = { input: "Hi", model: "flowing" };
    const options = { key, headers: { "idempotency-key": "s" } };
    const first = await service.call("POST", "/v1/stream", body, options);
    const again = await service.call("POST", "/v1/stream", body, options);
    expect(again.text).toBe(first.text);
    provider.script = (response) => void response.writeHead(500).end("{}");
    const failed = await ask(key, "fixed", {}, { "idempotency-key": "f" });
    provider.script = answerPlainly;
    const failedAgain = await ask(key, "fixed", {}, { "idempotency-key": "f" });
    expect(failed.status).toBe(502);
    expect(failedAgain.text).toBe(failed.text);
  });

  it("refuses another body with 422 and a running one with 409", async () => {
    const { key } = await customer(10);
    let release = () => {};
    provider.script = async (response, call) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await answerPlainly(response, call);
    };
    const running = ask(key, "fixed", {}, { "idempotency-key": "r" });
    await expect.poll(() => provider.calls.length).toBe(1);
    const meanwhile = await ask(key, "fixed", {}, { "idempotency-key": "r" });
    expect(meanwhile.status).toBe(409);
    expect(meanwhile.json.error.type).toBe("idempotency_in_progress");
    expect(meanwhile.headers.get("retry-after")).toBe("1");
    release();
    expect((await running).status).toBe(200);
    const other = await ask(key, "fixed", { input: "Something else" }, { "idempotency-key": "r" });
    expect(other.status).toBe(422);
    expect(other.json.error.type).toBe("idempotency_mismatch");
  });

  it("is free again when nothing ran", async () => {
    const { id, key } = await customer(0);
    expect((await ask(key, "fixed", {}, { "idempotency-key": "n" })).status).toBe(402);
    await service.call("POST", `/v1/admin/accounts/${id}/grants`, { amount: 2 });
    expect((await ask(key, "fixed", {}, { "idempotency-key": "n" })).status).toBe(200);
  });
});
