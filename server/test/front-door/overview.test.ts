import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const NOTHING = { requests: 0, errors: 0, cost: 0 };
const ONE = { requests: 1, errors: 0, cost: 0.00005 };
const REQUEST = { task: "chat", input: "Hello", model: "plain" };

describe("the overview", () => {
  it("follows a new organisation through its first steps", async () => {
    const owner = await openMember(service);
    const overview = async () => {
      const { status, json, text } = await owner.call("GET", "/v1/overview");
      expect(status, text).toBe(200);
      return json;
    };
    expect(await overview()).toEqual({
      balance: 0,
      low_balance: true,
      time_zone: "UTC",
      today: NOTHING,
      yesterday: NOTHING,
      month: NOTHING,
      days: expect.toSatisfy((days: unknown[]) => days.length === 30),
      last_request: null,
      first_request: null,
      steps: { model: true, answer: false, key: false, funded: false, request: false },
    });
    const { json: made } = await owner.call("POST", "/v1/keys", { name: "First", scopes: ["inference"] });
    expect((await overview()).steps).toEqual({ model: true, answer: false, key: true, funded: false, request: false });
    await service.call("POST", `/v1/admin/accounts/${owner.accountId}/grants`, { amount: 2 });
    expect(await overview()).toMatchObject({
      balance: 2,
      low_balance: false,
      steps: { key: true, funded: true, request: false },
    });
    // A request from the dashboard is a request, but not the step.
    expect((await owner.call("POST", "/v1/ai/request", REQUEST)).status).toBe(200);
    expect(await overview()).toMatchObject({
      today: ONE,
      last_request: { model: "operator/plain", status: 200, cost: 0.00005 },
      first_request: null,
      steps: { request: false, answer: true },
    });
    const asked = await service.call("POST", "/v1/ai/request", REQUEST, { key: made.key });
    expect(await overview()).toMatchObject({
      balance: 1.9999,
      month: { requests: 2, errors: 0, cost: 0.0001 },
      first_request: { id: asked.headers.get("x-request-id"), model: "operator/plain", cost: 0.00005 },
      steps: { key: true, funded: true, request: true },
    });
  });

  it("says that a balance is low below the account's mark", async () => {
    const { key } = await openCustomer(service, 5);
    const isLow = async () => (await service.call("GET", "/v1/overview", undefined, { key })).json.low_balance;
    expect(await isLow()).toBe(false);
    await service.call("PATCH", "/v1/settings", { alerts: { low_balance: 5 } }, { key });
    expect(await isLow()).toBe(false);
    await service.call("PATCH", "/v1/settings", { alerts: { low_balance: 5.000000001 } }, { key });
    expect(await isLow()).toBe(true);
  });

  it("is for every member, and for keys that may read", async () => {
    for (const role of ["billing", "viewer"] as const) {
      const member = await openMember(service, role);
      expect((await member.call("GET", "/v1/overview")).status).toBe(200);
    }
    const { key } = await openCustomer(service, 1, { scopes: ["inference"] });
    expectRefusal(await service.call("GET", "/v1/overview", undefined, { key }), 403, "insufficient_scope");
    expectRefusal(await service.call("GET", "/v1/overview", undefined, { key: null }), 401, "missing_api_key");
  });

  it("tells nothing of other accounts", async () => {
    const busy = await openCustomer(service, 1);
    await service.call("POST", "/v1/ai/request", REQUEST, { key: busy.key });
    const quiet = await openCustomer(service, 0);
    const { json } = await service.call("GET", "/v1/overview", undefined, { key: quiet.key });
    expect(json).toMatchObject({ balance: 0, month: NOTHING, last_request: null, first_request: null });
  });
});
