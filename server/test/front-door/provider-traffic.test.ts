import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let owner: Customer;
let client: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  owner = await openCustomer(service, 0);
  client = await openCustomer(service, 10);
  await registerAsOtherAccount(service, owner, registrationOf(provider, "one"), "active");
  await registerAsOtherAccount(service, owner, registrationOf(provider, "two"), "active");
  for (const model of ["one", "one", "two"]) await ask(model);
  provider.script = (response) => {
    response.statusCode = 500;
    response.end("no");
  };
  await ask("two");
  provider.script = answerPlainly;
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const ask = (model: string) =>
  service.call(
    "POST",
    "/v1/generate",
    { input: "Say something.", model: `${owner.provider}/${model}` },
    { key: client.key },
  );
const traffic = (query = "", key = owner.key) =>
  service.call("GET", `/v1/provider/traffic${query}`, undefined, { key });

// Ten tokens in and twenty out, at a thousandth and two thousandths of a credit for a thousand of them.
const COST = 0.00005;

describe("the traffic of one's models", () => {
  it("is all that clients had of them, and what they paid", async () => {
    const { status, json, text } = await traffic();
    expect(status, text).toBe(200);
    expect(json).toMatchObject({ interval: "day", timezone: "UTC", next_cursor: null });
    expect(json.totals).toEqual({
      requests: 3,
      errors: 1,
      input_tokens: 30,
      output_tokens: 60,
      earnings: 0.00015,
      average_latency_ms: expect.any(Number),
    });
    expect(json.totals.average_latency_ms).toBeGreaterThan(0);
    expect(json.models).toMatchObject([
      { provider: owner.provider, model: "one", requests: 2, errors: 0, earnings: 2 * COST },
      { provider: owner.provider, model: "two", requests: 1, errors: 1, earnings: COST },
    ]);
    const usage = await service.call("GET", "/v1/usage", undefined, { key: client.key });
    expect(json.totals.earnings).toBe(usage.json.cost);
  });

  it.each(["day", "hour"])("is reported by %s, which sum up to the whole", async (interval) => {
    const { json } = await traffic(`?interval=${interval}&timezone=Asia/Kathmandu`);
    expect(json).toMatchObject({ interval, timezone: "Asia/Kathmandu" });
    const rows = json.data as { start: string; requests: number; earnings: number }[];
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(3);
    for (const { start } of rows) {
      expect(Date.parse(start)).toBeGreaterThanOrEqual(Date.parse(json.from));
      expect(Date.parse(start)).toBeLessThan(Date.parse(json.to));
      expect(new Date(start).getUTCMinutes()).toBe(15);
    }
  });

  it("is of one model where one is named, by its name or its full name", async () => {
    for (const name of ["one", `${owner.provider}/one`]) {
      const { json } = await traffic(`?model=${encodeURIComponent(name)}`);
      expect(json.models).toHaveLength(1);
      expect(json.totals.requests).toBe(2);
    }
  });

  it("is nothing in days when there was none", async () => {
    const { json } = await traffic("?from=2020-01-01&to=2020-01-31");
    expect(json).toMatchObject({
      from: "2020-01-01T00:00:00.000Z",
      to: "2020-02-01T00:00:00.000Z",
      totals: { requests: 0, earnings: 0, average_latency_ms: null },
      models: [],
      data: [],
    });
  });

  it("keeps what was counted of a model that is withdrawn", async () => {
    await service.call("DELETE", "/v1/provider/models/two", undefined, { key: owner.key });
    expect((await traffic()).json.totals.requests).toBe(3);
    expect((await traffic("?model=two")).json.totals.requests).toBe(1);
  });

  it("is of this account alone", async () => {
    expect((await traffic("", client.key)).json.totals.requests).toBe(0);
    expectRefusal(await traffic("?model=one", client.key), 404, "not_found", { param: "model" });
    expectRefusal(await traffic("?model=never-was"), 404, "not_found", { param: "model" });
  });

  it.each([
    ["from", "?from=yesterday"],
    ["to", "?to=2026-02-30"],
    ["to", "?from=2026-02-02&to=2026-02-01"],
    ["from", "?from=2020-01-01&to=2026-01-01"],
    ["from", "?interval=hour&from=2026-01-01&to=2026-02-15"],
    ["interval", "?interval=minute"],
    ["timezone", "?timezone=Mars/Olympus"],
    ["model", "?model="],
  ])("is refused for a wrong %s: %s", async (param, query) => {
    expectRefusal(await traffic(query), 400, "invalid_request", { param });
  });

  it("is for those with the scope `provider`", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["read", "manage"] });
    expectRefusal(await traffic("", key), 403, "insufficient_scope");
  });
});

describe("the health of one's model", () => {
  it("is what recent calls made of it", async () => {
    const { json } = await service.call("GET", "/v1/provider/models/one", undefined, { key: owner.key });
    expect(json.health).toMatchObject({ available: true, breaker: "closed", calls: 2, error_rate: 0 });
    expect(json.health.latency_ms).toBeGreaterThan(0);
  });

  it("has the findings of the last check, word by word", async () => {
    const read = () => service.call("GET", "/v1/provider/models/one", undefined, { key: owner.key });
    expect((await read()).json.last_check).toBeNull();
    provider.script = (response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ output: 5, note: "<script>alert(1)</script> \u0000" }));
    };
    const path = "/v1/provider/models/one/check";
    const failed = await service.call("POST", path, undefined, { key: owner.key });
    provider.script = answerPlainly;
    expect(failed.json.passed).toBe(false);
    const { passed, checked_at, findings } = failed.json;
    expect((await read()).json.last_check).toEqual({ passed, checked_at, findings });
    const again = await service.call("POST", path, undefined, { key: owner.key });
    expect((await read()).json.last_check).toMatchObject({
      passed: again.json.passed,
      checked_at: again.json.checked_at,
    });
    const { data } = (await service.call("GET", "/v1/provider/models", undefined, { key: owner.key })).json;
    expect(data[0].last_check.checked_at).toBe(again.json.checked_at);
  });
});
