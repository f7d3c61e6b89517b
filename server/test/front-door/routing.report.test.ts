import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

const price = (both: number) => ({ pricing: { input_per_1k_tokens: both, output_per_1k_tokens: both } });

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const [name, more] of [
    ["cheap", { ...price(0.0001), performance: { avg_latency_ms: 3_000, accuracy_score: 0.5 } }],
    ["quick", { ...price(0.001), performance: { avg_latency_ms: 20, accuracy_score: 0.6 } }],
    ["clever", { ...price(0.01), performance: { avg_latency_ms: 1_500, accuracy_score: 0.99 } }],
  ] as const) {
    const body = registrationOf(provider, name, { ...more, capabilities: [] });
    const made = await service.call("POST", "/v1/provider/models", body);
    expect(made.status, made.text).toBe(201);
  }
});

beforeEach(async () => {
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const ask = async (more: Record<string, unknown> = {}) => {
  const body = { input: "Tell me about contracts.", ...more };
  const answer = await service.call("POST", "/v1/generate", body, { key: customer.key });
  expect(answer.status, answer.text).toBe(200);
  return answer;
};
const report = (query = "", key = customer.key) =>
  service.call("GET", `/v1/routing/report${query}`, undefined, { key });
const weights = (body?: unknown, key = customer.key) =>
  service.call(body === undefined ? "GET" : "PUT", "/v1/routing/weights", body, { key });
type Row = {
  strategy: string;
  cost: number;
  moved: number;
  difference: Record<string, number>;
  examples: unknown[];
};
const rowOf = (json: { strategies: Row[] }, strategy: string): Row => {
  const row = json.strategies.find((one) => one.strategy === strategy);
  if (row === undefined) throw new Error(`The report has no ${strategy}.`);
  return row;
};

describe("the weights of hybrid", () => {
  it("are the service's until the account sets its own, which then decide", async () => {
    expect((await weights()).json).toEqual({ cost: 0.4, speed: 0.2, quality: 0.4 });
    await service.call("PUT", "/v1/routing", { strategy: "hybrid" }, { key: customer.key });
    for (const [set, first] of [
      [{ cost: 1, speed: 0, quality: 0 }, "operator/cheap"],
      [{ cost: 0, speed: 1, quality: 0 }, "operator/quick"],
      [{ cost: 0, speed: 0, quality: 1 }, "operator/clever"],
    ] as const) {
      expect(await weights(set)).toMatchObject({ status: 200, json: set });
      expect((await weights()).json).toEqual(set);
      const { json } = await ask();
      expect(json.model).toBe(first);
    }
    const other = await openCustomer(service, 0);
    expect((await weights(undefined, other.key)).json).toEqual({ cost: 0.4, speed: 0.2, quality: 0.4 });
    expect((await service.call("GET", "/v1/routing", undefined, { key: customer.key })).json).toEqual({
      strategy: "hybrid",
    });
  });

  it("are thirds where 0.33 is said thrice", async () => {
    const { json } = await weights({ cost: 0.33, speed: 0.33, quality: 0.33 });
    expect(json).toEqual({ cost: 0.3333, speed: 0.3333, quality: 0.3334 });
  });

  it.each([
    ["cost", { cost: 0.5, speed: 0.5, quality: 0.5 }],
    ["cost", { cost: 0, speed: 0, quality: 0 }],
    ["speed", { cost: 1, speed: -0.2, quality: 0.2 }],
    ["quality", { cost: 0.5, speed: 0.5 }],
    ["speed", { cost: 0.5, speed: "0.5", quality: 0 }],
    ["speed", { cost: 0.5, speed: null, quality: 0.5 }],
  ])("are refused by %s where they are no weights", async (param, body) => {
    expectRefusal(await weights(body), 400, "invalid_request", { param });
    expect((await weights()).json).toEqual({ cost: 0.4, speed: 0.2, quality: 0.4 });
  });

  it("are read by anyone who may read and set by those who may change the routing", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["read"] });
    const set = { cost: 0.5, speed: 0.25, quality: 0.25 };
    expectRefusal(await weights(set, key), 403, "insufficient_scope");
    expect((await weights(undefined, key)).status).toBe(200);
    const developer = await openMember(service, "developer", customer.id);
    expect((await developer.call("PUT", "/v1/routing/weights", set)).json).toEqual(set);
    const viewer = await openMember(service, "viewer", customer.id);
    expect((await viewer.call("PUT", "/v1/routing/weights", set)).status).toBe(403);
    expect((await viewer.call("GET", "/v1/routing/weights")).json).toEqual(set);
  });
});

describe("the report on strategies", () => {
  it("is empty where nothing was asked yet", async () => {
    const { status, json } = await report();
    expect(status).toBe(200);
    expect(json).toMatchObject({ requests: 0, own_strategy: 0, from: null, to: null });
    expect(json.strategies.map((row: Row) => row.strategy)).toEqual([
      "cost-optimized",
      "speed-optimized",
      "quality-optimized",
      "hybrid",
    ]);
    expect(json.strategies.every((row: Row) => row.cost === 0 && row.moved === 0)).toBe(true);
  });

  it("says by the tokens that were really used what each strategy would have cost", async () => {
    await ask();
    const last = await ask();
    const calls = provider.calls.length;
    const before = await balanceOf(service, customer.key);
    const { json } = await report();
    expect(json).toMatchObject({ requests: 2, own_strategy: 0 });
    // Thirty tokens each, at a ten-thousandth, a thousandth and a hundredth of a credit for a thousand of them.
    expect(json.actual.cost).toBe(0.000006);
    expect(rowOf(json, "cost-optimized")).toMatchObject({
      cost: 0.000006,
      moved: 0,
      difference: { cost: 0, expected_latency_ms: 0, predicted_quality: 0 },
      examples: [],
    });
    expect(rowOf(json, "speed-optimized")).toMatchObject({ cost: 0.00006, moved: 2 });
    const clever = rowOf(json, "quality-optimized");
    expect(clever.cost).toBe(0.0006);
    expect(clever.difference.cost).toBe(0.000594);
    expect(clever.difference.predicted_quality).toBeGreaterThan(0.02);
    expect(clever.examples).toHaveLength(2);
    expect(clever.examples[0]).toMatchObject({
      request_id: last.headers.get("x-request-id"),
      from: "operator/cheap",
      to: "operator/clever",
      difference: { cost: 0.000297 },
    });
    expect(provider.calls).toHaveLength(calls);
    expect(await balanceOf(service, customer.key)).toEqual(before);
  });

  it("keeps to the prices of the time when the request was sent", async () => {
    await ask();
    const dearer = { pricing: { input_per_1k_tokens: 0.5, output_per_1k_tokens: 0.5 } };
    await service.call("PATCH", "/v1/provider/models/clever", dearer);
    const { json } = await report();
    await service.call("PATCH", "/v1/provider/models/clever", price(0.01));
    expect(rowOf(json, "quality-optimized").cost).toBe(0.0003);
  });

  it("weighs hybrid by the account's weights, or by those that are tried out", async () => {
    await ask();
    await weights({ cost: 0, speed: 0, quality: 1 });
    expect(rowOf((await report()).json, "hybrid").examples).toMatchObject([{ to: "operator/clever" }]);
    const { json } = await report("?strategy=hybrid&cost=0&speed=1&quality=0");
    expect(json.weights).toEqual({ cost: 0, speed: 1, quality: 0 });
    expect(json.strategies).toHaveLength(1);
    expect(rowOf(json, "hybrid").examples).toMatchObject([{ to: "operator/quick" }]);
    expect((await weights()).json).toEqual({ cost: 0, speed: 0, quality: 1 });
  });

  it("compares what followed the account's strategy: no named models, no strategies of the request's own", async () => {
    await ask({ model: "clever" });
    await ask({ route: "speed" });
    await ask({ preferences: { quality: "high" } });
    await ask({ route: "auto", model: "auto" });
    expect((await report()).json).toMatchObject({ requests: 1, own_strategy: 2 });
  });

  it("looks at the given number of newest requests, and at no other account's", async () => {
    for (let count = 0; count < 3; count++) await ask();
    expect((await report("?last=2")).json.requests).toBe(2);
    const other = await openCustomer(service, 0);
    expect((await report("", other.key)).json.requests).toBe(0);
  });

  it("looks at the requests of the given days", async () => {
    await ask();
    await ask();
    const { status, json } = await report("?days=90");
    expect(status).toBe(200);
    expect(json).toMatchObject({ requests: 2, own_strategy: 0, sampled: false, one_in: 1 });
    expect(json.actual.cost).toBe(0.000006);
    const other = await openCustomer(service, 0);
    expect((await report("?days=1", other.key)).json).toMatchObject({ requests: 0, from: null });
  });

  it("holds the account's floor against what was known of the models", async () => {
    // Neither easy nor hard: there are no words to read.
    await ask({ input: "?!" });
    expect((await report()).json.quality_floor).toBe(0.6);
    await service.call("PUT", "/v1/routing/floor", { min_quality: 0.98 }, { key: customer.key });
    const { json } = await report();
    expect(json.quality_floor).toBe(0.98);
    expect(rowOf(json, "cost-optimized").examples).toMatchObject([{ to: "operator/clever" }]);
  });

  it("reads requests whose prompts are kept, whatever is in them", async () => {
    await service.call("PATCH", "/v1/settings", { store_content: true }, { key: customer.key });
    await ask({ input: 'Odd \u0000 text ,"content": {"chosen_by":"request"} "routing"' });
    expect((await report()).json).toMatchObject({ requests: 1, own_strategy: 0 });
  });

  it.each([
    ["last", "?last=0"],
    ["last", "?last=1001"],
    ["last", "?last=many"],
    ["days", "?days=0"],
    ["days", "?days=91"],
    ["days", "?days=1.5"],
    ["days", "?days=7&last=10"],
    ["strategy", "?strategy=cheapest"],
    ["cost", "?cost=0.5"],
    ["speed", "?cost=0.5&speed=2&quality=0"],
    ["cost", "?cost=0.9&speed=0.9&quality=0.9"],
  ])("refuses a wrong %s: %s", async (param, query) => {
    expectRefusal(await report(query), 400, "invalid_request", { param });
  });

  it("is for those who may read", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["inference"] });
    expectRefusal(await report("", key), 403, "insufficient_scope");
  });
});
