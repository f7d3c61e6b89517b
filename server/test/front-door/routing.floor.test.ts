import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const [name, price, accuracy] of [
    ["poor", 0.0001, 0.2],
    ["fair", 0.001, 0.5],
    ["good", 0.01, 0.9],
  ] as const) {
    const more = {
      pricing: { input_per_1k_tokens: price, output_per_1k_tokens: price },
      performance: { accuracy_score: accuracy },
      capabilities: [],
    };
    const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
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

const floor = (body?: unknown, key = customer.key) =>
  service.call(body === undefined ? "GET" : "PUT", "/v1/routing/floor", body, { key });
const preview = async (more: Record<string, unknown> = {}) => {
  // Neither easy nor hard: there are no words to read.
  const body = { input: "?!", ...more };
  const { status, text, json } = await service.call("POST", "/v1/routing/preview", body, {
    key: customer.key,
  });
  expect(status, text).toBe(200);
  return json;
};
const orderOf = async (more?: Record<string, unknown>): Promise<string[]> =>
  (await preview(more)).candidates.map(({ model }: { model: string }) => model.replace("operator/", ""));

describe("the floor of quality", () => {
  it("is the service's until the account sets its own, and the service's again after null", async () => {
    expect((await floor()).json).toEqual({ min_quality: null });
    expect(await orderOf()).toEqual(["fair", "good", "poor"]);
    expect(await floor({ min_quality: 0.8 })).toMatchObject({ status: 200, json: { min_quality: 0.8 } });
    expect((await floor()).json).toEqual({ min_quality: 0.8 });
    expect(await orderOf()).toEqual(["good", "fair", "poor"]);
    expect((await floor({ min_quality: 0 })).json).toEqual({ min_quality: 0 });
    expect(await orderOf()).toEqual(["poor", "fair", "good"]);
    expect((await floor({ min_quality: null })).json).toEqual({ min_quality: null });
    expect(await orderOf()).toEqual(["fair", "good", "poor"]);
    const other = await openCustomer(service, 0);
    expect((await floor(undefined, other.key)).json).toEqual({ min_quality: null });
  });

  it("moves models back and never leaves one out, while the request's own min_quality does both", async () => {
    await floor({ min_quality: 1 });
    expect(await orderOf()).toEqual(["good", "fair", "poor"]);
    const { candidates, quality_floor, why } = await preview();
    expect(candidates.map(({ clears_floor }: { clears_floor: boolean }) => clears_floor)).toEqual([true, false, false]);
    expect(quality_floor).toBeCloseTo(candidates[0].predicted_quality - 0.005);
    expect(why).toContain("none clears the floor of 1.00, so the best comes first");
    expect(await orderOf({ preferences: { min_quality: 0.5 } })).toEqual(["fair", "good"]);
  });

  it("is of no concern to the other strategies", async () => {
    await floor({ min_quality: 0.8 });
    expect((await orderOf({ route: "quality" }))[0]).toBe("good");
    await floor({ min_quality: 0 });
    expect((await orderOf({ route: "quality" }))[0]).toBe("good");
  });

  it.each([{}, { min_quality: -0.1 }, { min_quality: 1.1 }, { min_quality: "0.5" }, { min_quality: [0.5] }])(
    "is refused where it is none: %j",
    async (body) => {
      expectRefusal(await floor(body), 400, "invalid_request", { param: "min_quality" });
      expect((await floor()).json).toEqual({ min_quality: null });
    },
  );

  it("is read by anyone who may read and set by those who may change the routing", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["read"] });
    expectRefusal(await floor({ min_quality: 0.5 }, key), 403, "insufficient_scope");
    expect((await floor(undefined, key)).status).toBe(200);
    const viewer = await openMember(service, "viewer", customer.id);
    expect((await viewer.call("PUT", "/v1/routing/floor", { min_quality: 0.5 })).status).toBe(403);
    const developer = await openMember(service, "developer", customer.id);
    expect((await developer.call("PUT", "/v1/routing/floor", { min_quality: 0.5 })).status).toBe(200);
    expect((await viewer.call("GET", "/v1/routing/floor")).json).toEqual({ min_quality: 0.5 });
  });
});
