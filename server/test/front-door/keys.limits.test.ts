import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const name of ["plain", "other"])
    await service.call("POST", "/v1/provider/models", registrationOf(provider, name));
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const SOON = new Date(Date.now() + 3_600_000).toISOString();
const LIMITS = {
  budget: { limit: 0.01, period: "total" },
  models: ["plain"],
  ips: ["127.0.0.0/8"],
  expires_at: SOON,
  requests_per_minute: 50,
};
const SCOPES = ["inference", "manage", "read"];

/** A key with every limit, and a key of the same account with none. */
async function openLimited(limits: Record<string, unknown> = LIMITS) {
  const free = await openCustomer(service, 10);
  const made = await service.call(
    "POST",
    "/v1/keys",
    { name: "limited", scopes: SCOPES, ...limits },
    { key: free.key },
  );
  expect(made.status, made.text).toBe(201);
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, path, body, { key: made.json.key });
  return { free, id: made.json.id as string, call };
}

const WIDER: readonly (readonly [string, unknown, unknown])[] = [
  ["budget", null, { limit: 0.02, period: "total" }],
  ["budget", null, { limit: 0.001, period: "day" }],
  ["models", null, ["plain", "other"]],
  ["ips", null, ["127.0.0.0/7"]],
  ["expires_at", null, new Date(Date.now() + 7_200_000).toISOString()],
  ["requests_per_minute", null, 51],
];

describe("a limited key", () => {
  it("can't change itself, neither its limits nor its name", async () => {
    const { id, call } = await openLimited();
    const lifted = { budget: null, models: null, ips: null, expires_at: null, requests_per_minute: 10_000_000 };
    for (const body of [lifted, { budget: null }, { name: "another" }])
      expectRefusal(await call("PATCH", `/v1/keys/${id}`, body), 403, "insufficient_scope");
    expect((await call("GET", `/v1/keys/${id}`)).json).toMatchObject({ name: "limited", ...LIMITS, expires_at: SOON });
  });

  it.each(WIDER)("can't make or leave a key with a wider %s", async (limit, none, more) => {
    const { free, call } = await openLimited({ [limit]: LIMITS[limit as keyof typeof LIMITS] });
    const refused = await call("POST", "/v1/keys", { name: "wider", scopes: ["inference"], [limit]: more });
    expectRefusal(refused, 403, "insufficient_scope", { param: limit });
    const within = await service.call(
      "POST",
      "/v1/keys",
      { name: "within", scopes: ["inference"], [limit]: LIMITS[limit as keyof typeof LIMITS] },
      { key: free.key },
    );
    for (const value of [none, more]) {
      const change = await call("PATCH", `/v1/keys/${within.json.id}`, { [limit]: value });
      expectRefusal(change, 403, "insufficient_scope", { param: limit });
    }
  });

  it("gives its own limits to a key that names none, and takes the budget off its own", async () => {
    const { id, call } = await openLimited();
    const body = { name: "made", scopes: ["inference", "manage"] };
    expectRefusal(await call("POST", "/v1/keys", body), 403, "insufficient_scope", { param: "budget" });
    const part = { limit: 0.004, period: "total" };
    const made = await call("POST", "/v1/keys", { ...body, budget: part });
    expect(made.status, made.text).toBe(201);
    const { models, ips, expires_at, requests_per_minute } = LIMITS;
    expect(made.json).toMatchObject({ models, ips, expires_at, requests_per_minute, budget: part });
    expect((await call("GET", `/v1/keys/${id}`)).json.budget).toEqual({ limit: 0.006, period: "total" });
    const again = await call("POST", "/v1/keys", { ...body, budget: { limit: 0.0061, period: "total" } });
    expectRefusal(again, 403, "insufficient_scope", { param: "budget" });
  });

  it("makes narrower keys, and keys that can't spend without a budget", async () => {
    const { call } = await openLimited();
    const narrower = {
      budget: { limit: 0.001, period: "total" },
      models: ["operator/plain"],
      ips: ["127.0.0.1"],
      expires_at: new Date(Date.now() + 60_000).toISOString(),
      requests_per_minute: 1,
    };
    const made = await call("POST", "/v1/keys", { name: "narrow", scopes: ["inference"], ...narrower });
    expect(made.json, made.text).toMatchObject(narrower);
    expect((await call("POST", "/v1/keys", { name: "reader", scopes: ["read"] })).status).toBe(201);
  });

  it("can't take over a key that may do more by its rotation, but rotates itself", async () => {
    const { free, id, call } = await openLimited();
    const more = await service.call("POST", "/v1/keys", { name: "more", scopes: ["inference"] }, { key: free.key });
    const taken = await call("POST", `/v1/keys/${more.json.id}/rotate`);
    expectRefusal(taken, 403, "insufficient_scope", { param: "expires_at" });
    const rotated = await call("POST", `/v1/keys/${id}/rotate`, { grace_seconds: 60 });
    expect(rotated.json, rotated.text).toMatchObject(LIMITS);
    // The old secret ends, and can't make itself last.
    expectRefusal(await call("POST", `/v1/keys/${id}/rotate`), 403, "insufficient_scope", { param: "expires_at" });
    // Stopping a leak needs no limits.
    expect((await call("DELETE", `/v1/keys/${free.keyId}`)).status).toBe(204);
  });

  it("that ends makes nothing that goes on giving data away", async () => {
    const { call } = await openLimited({ expires_at: SOON });
    const url = "https://93.184.215.14/hook";
    expectRefusal(await call("POST", "/v1/webhooks", { url }), 403, "insufficient_scope");
    const ownKey = { provider: "openai", key: "sk-of-somebody" };
    expectRefusal(await call("POST", "/v1/provider-keys", ownKey), 403, "insufficient_scope");
  });
});

it("an operator's key with limits makes no wider key in another account", async () => {
  const { id } = await openCustomer(service, 0);
  const limited = await service.call("POST", "/v1/keys", {
    name: "limited operator",
    scopes: ["admin", "inference"],
    expires_at: SOON,
    requests_per_minute: 50,
  });
  const make = (body: Record<string, unknown>) =>
    service.call(
      "POST",
      `/v1/admin/accounts/${id}/keys`,
      { name: "theirs", scopes: ["inference"], ...body },
      { key: limited.json.key },
    );
  expectRefusal(await make({ requests_per_minute: 51 }), 403, "insufficient_scope", { param: "requests_per_minute" });
  expect((await make({})).json).toMatchObject({ expires_at: SOON, requests_per_minute: 50 });
});
