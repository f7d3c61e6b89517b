import { fromCredits } from "@trunkline/core/money.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

type Row = Record<string, number>;

/** Two answers by one model, one by another for another task, and one failure. */
beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const name of ["plain", "other"])
    await service.call("POST", "/v1/provider/models", registrationOf(provider, name));
  customer = await openCustomer(service, 10);
  const ask = (body: Record<string, unknown>) =>
    service.call("POST", "/v1/ai/request", { input: "Hello", task: "chat", ...body }, { key: customer.key });
  for (const model of ["plain", "plain"]) await ask({ model });
  await ask({ model: "other", task: "summarization" });
  provider.script = (response) => void response.writeHead(400).end("{}");
  await ask({ model: "plain" });
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call("GET", path, undefined, { key: customer.key, headers });
const series = (query = "") => get(`/v1/usage/series${query}`);
const FIELDS = ["requests", "errors", "input_tokens", "output_tokens"];
const nanoSum = (rows: readonly Row[]) => rows.reduce((sum, { cost = 0 }) => sum + (fromCredits(cost) ?? 0n), 0n);
const sum = (rows: readonly Row[], field: string) => rows.reduce((total, row) => total + (row[field] ?? 0), 0);

describe("GET /v1/usage/series", () => {
  it.each(["none", "model", "key", "task", "provider"])(
    "adds up to its total and to the breakdown, exactly, grouped by %s",
    async (by) => {
      for (const interval of ["auto", "hour", "day", "week", "month"]) {
        const { status, json } = await series(`?interval=${interval}&group_by=${by}`);
        expect(status).toBe(200);
        const { data: rows } = (await get(`/v1/usage/breakdown?group_by=${by === "none" ? "day" : by}`)).json;
        for (const field of FIELDS) {
          expect(sum(json.data, field)).toBe(json.total[field]);
          expect(sum(rows, field)).toBe(json.total[field]);
        }
        expect(nanoSum(json.data)).toBe(fromCredits(json.total.cost));
        expect(nanoSum(rows)).toBe(fromCredits(json.total.cost));
        expect(json.total).toMatchObject({ requests: 3, errors: 1, cost: 0.00015 });
        if (by === "none") continue;
        expect(nanoSum(json.groups)).toBe(fromCredits(json.total.cost));
        expect(nanoSum(json.data.flatMap(({ groups }: { groups: Row[] }) => groups))).toBe(
          fromCredits(json.total.cost),
        );
      }
    },
  );

  it("has a row for every hour of a day, also of the one with 25, and says what it shows", async () => {
    const { json } = await series("?from=2026-10-25&to=2026-10-25&timezone=Europe/Berlin&interval=hour");
    expect(json).toMatchObject({
      from: "2026-10-24T22:00:00.000Z",
      to: "2026-10-25T23:00:00.000Z",
      timezone: "Europe/Berlin",
      interval: "hour",
      group_by: "none",
      groups: [],
      total: { requests: 0, errors: 0, input_tokens: 0, output_tokens: 0, cost: 0 },
      next_cursor: null,
    });
    expect(json.data).toHaveLength(25);
    expect(json.data[24].end).toBe(json.to);
  });

  it("tells keys by their names, of people as of revoked ones", async () => {
    const extra = await service.call(
      "POST",
      "/v1/keys",
      { name: "Short-lived", scopes: ["inference", "read"] },
      { key: customer.key },
    );
    const member = await openMember(service, "developer", customer.id);
    const body = { task: "chat", input: "Hello", model: "guide" };
    await service.call("POST", "/v1/ai/request", body, { key: extra.json.key });
    await member.call("POST", "/v1/ai/request", body);
    await service.call("DELETE", `/v1/keys/${extra.json.id}`, undefined, { key: customer.key });
    const names = ["Key of a test", "Short-lived", `Dashboard (${member.email})`].sort();
    const shown = (await series("?group_by=key&model=guide")).json;
    expect(shown.groups.map(({ name }: { name: string }) => name).sort()).toEqual(
      names.slice(0, 1).concat("Short-lived"),
    );
    const { data } = (await get("/v1/usage/breakdown?group_by=key")).json;
    expect(data.map((row: { key_name: string }) => row.key_name).sort()).toEqual(names);
    const csv = await get("/v1/usage/breakdown?group_by=key", { accept: "text/csv" });
    expect(csv.text).toMatch(/^key,key_name,requests,/);
  });

  it("is narrowed by model, provider, key and task, as the breakdown is", async () => {
    for (const [filter, requests] of [
      ["model=plain&from=2020-01-01&interval=month", 2],
      ["model=operator/plain", 2],
      ["model=nobody/plain", 0],
      ["provider=operator&task=chat", 2],
      [`key=${customer.keyId}&task=summarization`, 1],
      ["model=none-such", 0],
    ] as const) {
      expect((await series(`?${filter}`)).json.total.requests, filter).toBe(requests);
      const { data } = (await get(`/v1/usage/breakdown?group_by=task&${filter.replace("&interval=month", "")}`)).json;
      expect(sum(data, "requests"), filter).toBe(requests);
    }
  });

  it("is CSV where the client asks for it", async () => {
    const plain = await get("/v1/usage/series?interval=month&model=plain", { accept: "text/csv" });
    expect(plain.headers.get("content-type")).toMatch(/^text\/csv\b/);
    const [first, ...rows] = plain.text.trimEnd().split("\r\n");
    expect(first).toBe("start,end,requests,errors,input_tokens,output_tokens,cost");
    expect(rows.at(-1)).toMatch(/Z,.*Z,2,1,20,40,0\.0001$/);
    const grouped = await get("/v1/usage/series?interval=month&group_by=task&provider=operator", {
      accept: "text/csv",
    });
    expect(grouped.text).toContain(",summarization,1,0,10,20,0.00005\r\n");
  });

  it("is the caller's own account's alone", async () => {
    const otherAccount = await openCustomer(service, 0);
    const { json } = await service.call("GET", `/v1/usage/series?key=${customer.keyId}`, undefined, {
      key: otherAccount.key,
    });
    expect(json.total.requests).toBe(0);
    expect(json.data.length).toBeGreaterThan(0);
  });

  it.each([
    ["from", "?from=yesterday"],
    ["to", "?to=2026-02-30"],
    ["timezone", "?timezone=Nowhere/City"],
    ["interval", "?interval=minute"],
    ["interval", "?interval=hour&from=2020-01-01"],
    ["from", "?from=0001-01-01"],
    ["group_by", "?group_by=day"],
    ["top_by", "?top_by=luck"],
    ["key", "?key=my-key"],
    ["model", "?model="],
    ["model", "?model=%00"],
    ["provider", "?provider=acme&model=other/plain"],
  ])("refuses a wrong %s: %s", async (param, query) => {
    expectRefusal(await series(query), 400, "invalid_request", { param });
    if (param !== "top_by") expectRefusal(await get(`/v1/usage/latency${query}`), 400, "invalid_request", { param });
  });

  it("is empty where a range ends before it begins", async () => {
    const { status, json } = await series("?from=2026-02-01&to=2026-01-01");
    expect([status, json.data, json.total.requests]).toEqual([200, [], 0]);
  });

  it("needs the scope to read", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["inference"] });
    for (const path of ["series", "latency"])
      expectRefusal(await service.call("GET", `/v1/usage/${path}`, undefined, { key }), 403, "insufficient_scope");
  });
});

describe("GET /v1/usage/latency", () => {
  it("tells how long answers took, in the parts of the series", async () => {
    const query = "?interval=hour&provider=operator&group_by=model";
    const [{ json }, shown] = [await get(`/v1/usage/latency${query}`), (await series(query)).json];
    expect(json).toMatchObject({ sampled: false, one_in: 1, interval: "hour", group_by: "model" });
    expect(json.total).toEqual({
      requests: 3,
      p50: expect.any(Number),
      p95: expect.any(Number),
      mean: expect.any(Number),
    });
    expect(json.total.p95).toBeGreaterThanOrEqual(json.total.p50);
    const answered = (rows: Row[]) => rows.map(({ start, requests }) => [start, requests]);
    expect(answered(json.data)).toEqual(answered(shown.data));
    expect(json.groups.map(({ name, requests }: { name: string; requests: number }) => [name, requests])).toEqual([
      ["operator/plain", 2],
      ["operator/other", 1],
    ]);
  });

  it("is null where nothing was answered", async () => {
    const { json } = await get("/v1/usage/latency?from=2026-01-01&to=2026-01-01&interval=day");
    expect(json.data).toEqual([
      {
        start: "2026-01-01T00:00:00.000Z",
        end: "2026-01-02T00:00:00.000Z",
        requests: 0,
        p50: null,
        p95: null,
        mean: null,
        groups: [],
      },
    ]);
    expect(json.total).toEqual({ requests: 0, p50: null, p95: null, mean: null });
  });
});
