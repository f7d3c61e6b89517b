import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});

beforeEach(async () => {
  customer = await openCustomer(service, 1);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const read = () => service.call("GET", "/v1/settings", undefined, { key: customer.key });
const change = (body: unknown) => service.call("PATCH", "/v1/settings", body, { key: customer.key });

const FIRST = {
  store_content: false,
  third_party_models: false,
  origins: null,
  time_zone: "UTC",
  alerts: { low_balance: null, budget_thresholds: [0.8, 1], email: true },
  data_rules: { regions: null, retention_days: null },
  requests_per_minute: 6_000,
  status: "active",
};

describe("an account's settings", () => {
  it("are what they are at first, and change only in what was said", async () => {
    expect((await read()).json).toEqual(FIRST);
    let expected: Record<string, unknown> = FIRST;
    for (const [said, changed] of [
      [{}, {}],
      [{ time_zone: "Europe/Berlin" }, { time_zone: "Europe/Berlin" }],
      [{ alerts: { low_balance: 2.5 } }, { alerts: { low_balance: 2.5, budget_thresholds: [0.8, 1], email: true } }],
      [
        { alerts: { budget_thresholds: [0.9, 0.000001, 0.5] } },
        { alerts: { low_balance: 2.5, budget_thresholds: [0.000001, 0.5, 0.9], email: true } },
      ],
      [{ alerts: {}, store_content: true }, { store_content: true }],
      [
        { alerts: { low_balance: null } },
        { alerts: { low_balance: null, budget_thresholds: [0.000001, 0.5, 0.9], email: true } },
      ],
      [{ alerts: { budget_thresholds: [] } }, { alerts: { low_balance: null, budget_thresholds: [], email: true } }],
      // What the account is, it can't decide.
      [{ status: "suspended" }, {}],
      [{ requests_per_minute: 1_000_000 }, {}],
    ] as const) {
      expected = { ...expected, ...changed };
      const answer = await change(said);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json).toEqual(expected);
      expect((await read()).json).toEqual(expected);
    }
  });

  it.each<[string, unknown]>([
    ["store_content", { store_content: null }],
    ["time_zone", { time_zone: null }],
    ["time_zone", { time_zone: "" }],
    ["time_zone", { time_zone: 60 }],
    ["time_zone", { time_zone: "Nowhere/City" }],
    ["time_zone", { time_zone: "+05:30" }],
    ["time_zone", { time_zone: "IST" }],
    ["time_zone", { time_zone: "UTC'; DROP TABLE accounts" }],
    ["alerts", { alerts: null }],
    ["alerts", { alerts: 5 }],
    ["alerts.low_balance", { alerts: { low_balance: 0 } }],
    ["alerts.low_balance", { alerts: { low_balance: -1 } }],
    ["alerts.low_balance", { alerts: { low_balance: "5" } }],
    ["alerts.low_balance", { alerts: { low_balance: 1e-10 } }],
    ["alerts.low_balance", { alerts: { low_balance: 1_000_000_001 } }],
    ["alerts.budget_thresholds", { alerts: { budget_thresholds: null } }],
    ["alerts.budget_thresholds", { alerts: { budget_thresholds: 0.5 } }],
    ["alerts.budget_thresholds[0]", { alerts: { budget_thresholds: [0] } }],
    ["alerts.budget_thresholds[1]", { alerts: { budget_thresholds: [0.5, 1.01] } }],
    ["alerts.budget_thresholds[0]", { alerts: { budget_thresholds: [-0.5] } }],
    ["alerts.budget_thresholds[0]", { alerts: { budget_thresholds: ["0.5"] } }],
    ["alerts.budget_thresholds[0]", { alerts: { budget_thresholds: [0.1234567] } }],
    ["alerts.budget_thresholds", { alerts: { budget_thresholds: [0.5, 0.5] } }],
    [
      "alerts.budget_thresholds",
      { alerts: { budget_thresholds: Array.from({ length: 11 }, (_, place) => (place + 1) / 11) } },
    ],
  ])("are not changed by a wrong %s: %o", async (param, body) => {
    expectRefusal(await change(body), 400, "invalid_request", { param });
    expect((await read()).json).toEqual(FIRST);
  });

  it("say what a zone's name looks like", async () => {
    expectRefusal(await change({ time_zone: "Berlin" }), 400, "invalid_request", {
      param: "time_zone",
      message: /must be an IANA zone, for example Europe\/Berlin\.$/,
    });
  });

  it("are the account's, for keys that may manage it", async () => {
    const weak = await openCustomer(service, 0, { scopes: ["inference", "read"] });
    for (const method of ["GET", "PATCH"]) {
      const body = method === "PATCH" ? {} : undefined;
      const answer = await service.call(method, "/v1/settings", body, { key: weak.key });
      expectRefusal(answer, 403, "insufficient_scope");
    }
  });
});

describe("how long the account's data is kept", () => {
  const PATH = "/v1/settings/retention";
  const readDays = () => service.call("GET", PATH, undefined, { key: customer.key });
  const changeDays = (body: unknown) => service.call("PATCH", PATH, body, { key: customer.key });
  const FOR_GOOD = { days: null, own_days: null, min_days: 1, max_days: null };
  const FIRST_DAYS = {
    contents: FOR_GOOD,
    details: FOR_GOOD,
    responses: { days: 30, own_days: null, min_days: 1, max_days: 30 },
    audit_log: { ...FOR_GOOD, min_days: 90 },
  };

  it("is the service's, until the account chooses days within the operator's bounds", async () => {
    expect((await readDays()).json).toEqual(FIRST_DAYS);
    const changed = await changeDays({ contents: 7, responses: 30 });
    expect(changed.status, changed.text).toBe(200);
    const expected = {
      ...FIRST_DAYS,
      contents: { ...FOR_GOOD, days: 7, own_days: 7 },
      responses: { days: 30, own_days: 30, min_days: 1, max_days: 30 },
    };
    expect(changed.json).toEqual(expected);
    expect((await changeDays({})).json).toEqual(expected);
    expect((await changeDays({ contents: null, responses: null })).json).toEqual(FIRST_DAYS);
  });

  it.each([
    ["contents", 0, /at least 1/],
    ["contents", 10_000, /at most/],
    ["details", 1.5, /must be a whole number/],
    ["details", "7", /must be a number/],
    ["responses", 31, /at most 30: this service keeps it no longer/],
    ["audit_log", 89, /at least 90: the operator of this service asks for it/],
  ])("can't be %s: %o", async (param, days, message) => {
    expectRefusal(await changeDays({ [param]: days }), 400, "invalid_request", { param, message });
    expect((await readDays()).json).toEqual(FIRST_DAYS);
  });

  it("is for keys that may manage the account", async () => {
    const weak = await openCustomer(service, 0, { scopes: ["inference", "read"] });
    for (const [method, body] of [["GET"], ["PATCH", {}]] as const)
      expectRefusal(await service.call(method, PATH, body, { key: weak.key }), 403, "insufficient_scope");
  });

  it("takes old prompts out of records, while the records and their charges stay", async () => {
    const { key } = customer;
    await change({ store_content: true });
    await service.call("POST", "/v1/ai/request", { task: "chat", input: "A secret", model: "plain" }, { key });
    const list = (await service.call("GET", "/v1/requests", undefined, { key })).json.data;
    const read = async () => (await service.call("GET", `/v1/requests/${list[0].id}`, undefined, { key })).json;
    const before = await read();
    expect(before.content.input).toBe("A secret");
    await changeDays({ contents: 1 });
    const { retention } = service.services.identity;
    await retention.expire(Date.now());
    expect(await read()).toEqual(before);
    await retention.expire(Date.now() + 2 * 86_400_000);
    const { content: _, ...bare } = before;
    expect(await read()).toEqual(bare);
    await changeDays({ details: 1 });
    await retention.expire(Date.now() + 2 * 86_400_000);
    expect(await read()).toMatchObject({ id: before.id, cost: before.cost, model: before.model, routing: null });
  });
});

describe("the account's zone", () => {
  it("is the one in which its usage is reported, unless another is asked for", async () => {
    await service.call(
      "POST",
      "/v1/ai/request",
      { task: "chat", input: "Hello", model: "plain" },
      { key: customer.key },
    );
    const day = async (query = "") =>
      (
        await service.call("GET", `/v1/usage/breakdown?group_by=day${query}`, undefined, {
          key: customer.key,
        })
      ).json.data[0].day;
    // No moment is on the same day in both of these.
    const [east, west] = ["Pacific/Kiritimati", "Pacific/Pago_Pago"];
    await change({ time_zone: east });
    const eastern = await day();
    expect(await day(`&timezone=${west}`)).not.toBe(eastern);
    expect(await day(`&timezone=${east}`)).toBe(eastern);
    const usage = async () =>
      (await service.call("GET", `/v1/usage?from=${eastern}`, undefined, { key: customer.key })).json.requests;
    expect(await usage()).toBe(1);
    await change({ time_zone: west });
    expect(await day()).not.toBe(eastern);
    // It came yesterday, as they say there.
    expect(await usage()).toBe(0);
  });
});
