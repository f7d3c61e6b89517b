import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

const DAY_MS = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const name of ["plain", "other"]) {
    await service.call("POST", "/v1/provider/models", registrationOf(provider, name));
  }
});

/** Two answers by one model, one by another for another task, and one failure. */
beforeEach(async () => {
  customer = await openCustomer(service, 10);
  for (const body of [
    { task: "chat", model: "plain" },
    { task: "chat", model: "plain" },
    { task: "summarization", model: "other" },
  ]) {
    const { status } = await service.call("POST", "/v1/ai/request", { input: "Hello", ...body }, { key: customer.key });
    expect(status).toBe(200);
  }
  provider.script = (response) => void response.writeHead(400).end("{}");
  await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key: customer.key });
  provider.script = (response) =>
    void response.end('{"output":"Fine.","usage":{"input_tokens":10,"output_tokens":20}}');
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const usage = (query = "") => service.call("GET", `/v1/usage${query}`, undefined, { key: customer.key });
const breakdown = (query: string, headers: Record<string, string> = {}) =>
  service.call("GET", `/v1/usage/breakdown${query}`, undefined, { key: customer.key, headers });

const TOTAL = { requests: 3, cost: 0.00015 };
const ROW = { errors: 0, input_tokens: 10, output_tokens: 20, cost: 0.00005, requests: 1 };
const TWO = { errors: 1, input_tokens: 20, output_tokens: 40, cost: 0.0001, requests: 2 };

describe("GET /v1/usage", () => {
  it("is exactly requests and cost, of all time", async () => {
    expect((await usage()).json).toEqual(TOTAL);
  });

  it("is narrowed by dates, of which both count", async () => {
    const [yesterday, today, tomorrow] = [-DAY_MS, 0, DAY_MS].map((ms) => dateOf(Date.now() + ms));
    for (const query of [
      `?from=${yesterday}`,
      `?to=${tomorrow}`,
      `?from=${yesterday}&to=${tomorrow}`,
      // The day may turn while this runs, so today is given with a neighbour on the side that can't hurt.
      `?from=${yesterday}&to=${today === dateOf(Date.now()) ? today : tomorrow}`,
    ]) {
      expect((await usage(query)).json, query).toEqual(TOTAL);
    }
    for (const query of [
      `?from=${dateOf(Date.now() + 2 * DAY_MS)}`,
      `?to=${dateOf(Date.now() - 2 * DAY_MS)}`,
      "?from=2001-01-01&to=2001-12-31",
    ]) {
      expect((await usage(query)).json, query).toEqual({ requests: 0, cost: 0 });
    }
  });

  it("is narrowed by the quarters of an hour", async () => {
    const quarter = Math.floor(Date.now() / 900_000) * 900_000;
    const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    expect((await usage(`?from=${at(quarter - 900_000)}&to=${at(quarter + 1_800_000)}`)).json).toEqual(TOTAL);
    expect((await usage(`?to=${at(quarter - 900_000)}`)).json).toEqual({ requests: 0, cost: 0 });
    expect((await usage(`?from=${at(quarter + 1_800_000)}`)).json).toEqual({ requests: 0, cost: 0 });
  });

  it("is exact to the moment, also inside a quarter of an hour", async () => {
    const { json } = await service.call("GET", "/v1/requests", undefined, { key: customer.key });
    // Newest first: the failure, then the third answer, the second and the first.
    const third = encodeURIComponent(json.data[1].created_at);
    expect((await usage(`?from=${third}`)).json).toEqual({ requests: 1, cost: 0.00005 });
    expect((await usage(`?to=${third}`)).json).toEqual({ requests: 2, cost: 0.0001 });
    const rows = (await breakdown(`?group_by=model&from=${third}`)).json.data;
    expect(rows.map((row: { model: string }) => row.model).sort()).toEqual(["other", "plain"]);
  });

  it("is the caller's own account's alone", async () => {
    const other = await openCustomer(service, 0);
    expect((await service.call("GET", "/v1/usage", undefined, { key: other.key })).json).toEqual({
      requests: 0,
      cost: 0,
    });
  });

  it.each([
    ["from", "?from=yesterday"],
    ["from", "?from=2026-13-01"],
    ["from", "?from=2026-02-30"],
    ["from", "?from="],
    ["to", "?to=2026-1-1"],
    ["to", "?to=1767225600"],
    ["to", "?to=2026-01-01T00:00:00"],
    ["to", "?to=2026-02-30T00:00:00Z"],
    ["from", "?from=2026-01-01&from=2026-01-02"],
    ["timezone", "?timezone=Nowhere/City"],
    ["timezone", "?timezone=UTC'%3B%20DROP%20TABLE%20requests"],
    ["timezone", "?timezone="],
  ])("refuses a wrong %s: %s", async (param, query) => {
    expectRefusal(await usage(query), 400, "invalid_request", { param });
    expectRefusal(await breakdown(query), 400, "invalid_request", { param });
  });
});

describe("GET /v1/usage/breakdown", () => {
  it("groups by model, provider, task and key", async () => {
    const rows = async (by: string) => (await breakdown(`?group_by=${by}`)).json.data as Record<string, unknown>[];
    expect(await rows("model")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ model: "plain", requests: 2, cost: 0.0001 }),
        { model: "other", model_name: "operator/other", ...ROW },
      ]),
    );
    expect(await rows("task")).toEqual(
      expect.arrayContaining([
        { task: "chat", ...TWO },
        { task: "summarization", ...ROW },
      ]),
    );
    expect(await rows("key")).toEqual([
      {
        key: customer.keyId,
        key_name: "Key of a test",
        requests: 3,
        errors: 1,
        input_tokens: 30,
        output_tokens: 60,
        cost: 0.00015,
      },
    ]);
    const byProvider = await rows("provider");
    expect(byProvider).toEqual(
      expect.arrayContaining([expect.objectContaining({ provider: "operator", requests: 3 })]),
    );
  });

  it.each(["day", "model", "key", "task", "provider"])("adds up to the whole, grouped by %s", async (by) => {
    const { json } = await breakdown(`?group_by=${by}`);
    expect(json.group_by).toBe(by);
    const sum = (field: string) =>
      json.data.reduce((total: number, row: Record<string, number>) => total + (row[field] ?? 0), 0);
    expect(sum("requests")).toBe(3);
    expect(sum("errors")).toBe(1);
    expect(sum("output_tokens")).toBe(60);
    expect(sum("cost")).toBeCloseTo(0.00015, 9);
  });

  it("counts days in the zone that is asked for", async () => {
    // Noon in one zone is another day in one that is far enough ahead or behind.
    const dayIn = (timeZone: string) => new Intl.DateTimeFormat("en-CA", { timeZone }).format(new Date());
    for (const zone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu"]) {
      const before = dayIn(zone);
      const { json } = await breakdown(`?group_by=day&timezone=${zone}`);
      expect([before, dayIn(zone)]).toContain(json.data.at(-1).day);
      expect(json.data.at(-1).day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      const narrowed = await breakdown(
        `?group_by=day&timezone=${zone}&from=${json.data[0].day}&to=${json.data.at(-1).day}`,
      );
      expect(narrowed.json.data).toEqual(json.data);
    }
  });

  it("is CSV where the client asks for it", async () => {
    const { headers, text } = await breakdown("?group_by=task", { accept: "text/csv" });
    expect(headers.get("content-type")).toMatch(/^text\/csv\b/);
    const [first, ...rows] = text.trimEnd().split("\r\n");
    expect(first).toBe("task,requests,errors,input_tokens,output_tokens,cost");
    expect(rows.sort()).toEqual(["chat,2,1,20,40,0.0001", "summarization,1,0,10,20,0.00005"]);
  });

  it("refuses a grouping that is none, and lists those that are", async () => {
    for (const by of ["month", "", "day;--"]) {
      expectRefusal(await breakdown(`?group_by=${by}`), 400, "invalid_request", {
        param: "group_by",
        message: /day, model, key, task, provider/,
      });
    }
  });
});

describe("GET /v1/balance", () => {
  it("is exactly what the account has, and agrees with the usage", async () => {
    const { json } = await service.call("GET", "/v1/balance", undefined, { key: customer.key });
    expect(json).toEqual({ balance: 9.99985, held: 0, available: 9.99985, currency: "credits" });
  });
});
