import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call(
    "POST",
    "/v1/provider/models",
    registrationOf(provider, "plain", {
      pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_request: 0.25 },
    }),
  );
});

beforeEach(async () => {
  customer = await openCustomer(service, 10, { scopes: ["inference", "read", "manage", "billing"] });
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const ask = () =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key: customer.key });
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call("GET", path, undefined, { key: customer.key, headers });
const patch = (path: string, body: unknown) => service.call("PATCH", path, body, { key: customer.key });

describe("transactions", () => {
  it("tell what came in and what was spent, with the balance after each", async () => {
    await ask();
    const second = await ask();
    const byDay = await get("/v1/transactions");
    expect(byDay.json).toMatchObject({
      data: [
        { kind: "charge", amount: -0.5, balance_after: 9.5, requests: 2, description: "2 requests" },
        { kind: "grant", amount: 10, balance_after: 10, description: "Granted by the operator" },
      ],
      next_cursor: null,
    });
    const today = byDay.json.data[0].date;
    expect(byDay.json.data[0]).toMatchObject({ id: today, created_at: null, request_id: null });
    const singly = await get(`/v1/transactions?group=none&kind=charge&from=${today}&to=${today}`);
    expect(singly.json.data).toMatchObject([
      {
        id: second.headers.get("x-request-id"),
        request_id: second.headers.get("x-request-id"),
        amount: -0.25,
        balance_after: 9.5,
        key_name: "Key of a test",
        key_id: customer.keyId,
      },
      { amount: -0.25, balance_after: 9.75 },
    ]);
    expect(singly.json.data[0].model).toMatch(/\/plain$/);
    expect((await balanceOf(service, customer.key)).balance).toBe(9.5);
  });

  it("are turned page by page", async () => {
    await ask();
    for (const group of ["day", "none"]) {
      const first = await get(`/v1/transactions?limit=1&group=${group}`);
      expect(first.json.data).toMatchObject([{ kind: "charge" }]);
      const next = await get(`/v1/transactions?limit=1&group=${group}&cursor=${first.json.next_cursor}`);
      expect(next.json).toMatchObject({ data: [{ kind: "grant", balance_after: 10 }], next_cursor: null });
    }
  });

  it("come as CSV, all at once", async () => {
    await ask();
    await ask();
    const answer = await get("/v1/transactions?group=none&limit=1", { accept: "text/csv" });
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = answer.text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^id,kind,date,created_at,description,amount,balance_after,/);
    expect(lines[3]).toMatch(/,grant,.*,10,10,/);
  });

  it.each([
    ["kind", "kind=lease"],
    ["group", "group=hour"],
    ["from", "from=yesterday"],
    ["to", "to=2026-02-30"],
    ["from", "from=2026-01-01T00:00:00Z"],
    ["limit", "limit=0"],
    ["cursor", "cursor=x"],
    ["cursor", "cursor=2026-13-01"],
    ["cursor", "group=none&cursor=2026-01-01"],
  ])("are refused for a wrong %s: %s", async (param, query) => {
    expectRefusal(await get(`/v1/transactions?${query}`), 400, "invalid_request", { param });
  });
});

describe("receipts and statements", () => {
  it("are made out to the organisation, and add up", async () => {
    await ask();
    await patch("/v1/billing/details", { company: "Acme GmbH", address: ["Weg 1", "Berlin"], country: "DE" });
    const { json: receipts } = await get("/v1/receipts");
    expect(receipts).toMatchObject({ data: [{ kind: "grant", amount: 10 }], next_cursor: null });
    const [{ id, date }] = receipts.data;
    expect(id).toMatch(/^TL-\d{4}-0001$/);
    const { json: receipt } = await get(`/v1/receipts/${id}`);
    expect(receipt).toMatchObject({
      number: id,
      issuer: { name: "Trunkline" },
      recipient: { name: "Customer", company: "Acme GmbH", address: ["Weg 1", "Berlin"], country: "DE" },
    });
    const sums = { opening_balance: 0, incoming: 10, refunds: 0, charges: 0.25, closing_balance: 9.75 };
    const month = date.slice(0, 7);
    expect((await get("/v1/statements")).json.data).toEqual([{ id: month, month, ...sums }]);
    const { json: statement } = await get(`/v1/statements/${month}`);
    const pdf = await get(`/v1/statements/${month}/pdf`);
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(pdf.headers.get("content-disposition")).toBe(`attachment; filename="trunkline-statement-${month}.pdf"`);
    expect(pdf.text).toMatch(/^%PDF-/);
    expect(statement).toMatchObject({
      ...sums,
      complete: false,
      receipts: [{ number: id }],
      by_model: [{ cost: 0.25, requests: 1 }],
      by_key: [{ cost: 0.25, key_name: "Key of a test" }],
      recipient: { company: "Acme GmbH" },
    });
  });

  it("are listed page by page, newest first", async () => {
    await service.call("POST", `/v1/admin/accounts/${customer.id}/grants`, { amount: 1, memo: "More" });
    const { json: first } = await get("/v1/receipts?limit=1");
    expect(first).toMatchObject({ data: [{ amount: 1, description: "Granted by the operator: More" }] });
    const { json: next } = await get(`/v1/receipts?limit=1&cursor=${first.next_cursor}`);
    expect(next).toMatchObject({ data: [{ amount: 10 }], next_cursor: null });
  });

  it("are not there for another account, or where nothing happened", async () => {
    const empty = await openCustomer(service, 0, { scopes: ["billing"] });
    const { json } = await get("/v1/receipts");
    for (const path of [
      `/v1/receipts/${json.data[0].id}`,
      "/v1/receipts/x",
      `/v1/statements/${json.data[0].date.slice(0, 7)}`,
      "/v1/statements/2026-13",
      "/v1/statements/0000-01",
      "/v1/statements/9999-12",
      "/v1/statements/x",
      "/v1/statements/x/pdf",
    ])
      expectRefusal(await service.call("GET", path, undefined, { key: empty.key }), 404, "not_found");
    for (const path of ["/v1/receipts", "/v1/statements", "/v1/transactions"]) {
      const answer = await service.call("GET", path, undefined, { key: empty.key });
      expect(answer.json).toEqual({ data: [], next_cursor: null });
    }
  });

  it.each(["/v1/receipts?cursor=x", "/v1/receipts?cursor=TL-2026-9999", "/v1/statements?cursor=x"])(
    "refuse a cursor that is none: %s",
    async (path) => {
      expectRefusal(await get(path), 400, "invalid_request", { param: "cursor" });
    },
  );
});

describe("billing details", () => {
  const NONE = { company: null, address: [], country: null, tax_id: null, email: null };

  it("are nothing at first, and change only in what was said", async () => {
    expect((await get("/v1/billing/details")).json).toEqual(NONE);
    const some = { company: "Acme", tax_id: "DE123", email: "books@acme.test" };
    expect((await patch("/v1/billing/details", some)).json).toEqual({ ...NONE, ...some });
    expect((await patch("/v1/billing/details", { country: "DE", tax_id: null })).json).toEqual({
      ...NONE,
      ...some,
      country: "DE",
      tax_id: null,
    });
  });

  it.each<[string, unknown]>([
    ["company", { company: "" }],
    ["company", { company: "a\0" }],
    ["address", { address: ["1", "2", "3", "4", "5", "6", "7"] }],
    ["address[0]", { address: ["  "] }],
    ["country", { country: "Germany" }],
    ["email", { email: "nobody" }],
    ["tax_id", { tax_id: "x".repeat(65) }],
  ])("are not changed by a wrong %s", async (param, body) => {
    expectRefusal(await patch("/v1/billing/details", body), 400, "invalid_request", { param });
    expect((await get("/v1/billing/details")).json).toEqual(NONE);
  });
});

describe("alerts", () => {
  it("are those of the settings", async () => {
    const set = await patch("/v1/billing/alerts", { low_balance: 3 });
    expect(set.json).toEqual({ low_balance: 3, budget_thresholds: [0.8, 1], email: true });
    expect((await get("/v1/billing/alerts")).json).toEqual(set.json);
    expect((await get("/v1/settings")).json.alerts).toEqual(set.json);
    expectRefusal(await patch("/v1/billing/alerts", { low_balance: 0 }), 400, "invalid_request", {
      param: "low_balance",
    });
  });
});

describe("the summary", () => {
  it("tells the balance, what was spent, and how long it lasts", async () => {
    expect((await get("/v1/billing/summary")).json).toMatchObject({ balance: 10, runway_days: null });
    await ask();
    expect((await get("/v1/billing/summary")).json).toMatchObject({
      balance: 9.75,
      held: 0,
      available: 9.75,
      this_month: { spent: 0.25 },
      last_month: { spent: 0, spent_by_now: 0 },
      last_7_days: { spent: 0.25 },
      runway_days: 273,
    });
  });

  it("has beside it the ways to add credits", async () => {
    const { json } = await get("/v1/billing/methods");
    expect(json.data).toMatchObject([
      { kind: "card", available: false, reason: expect.stringMatching(/\.$/) },
      { kind: "token", available: false, reason: expect.stringMatching(/\.$/) },
      { kind: "code", available: true, reason: null },
    ]);
  });
});

describe("who may", () => {
  it("look at billing and change it: owners, admins and the billing role, or a key with its scope", async () => {
    const paths = ["summary", "methods", "details", "alerts"].map((name) => `/v1/billing/${name}`);
    for (const role of ["owner", "admin", "billing", "developer", "viewer"] as const) {
      const member = await openMember(service, role, customer.id);
      const may = role !== "developer" && role !== "viewer";
      for (const path of [...paths, "/v1/transactions", "/v1/receipts", "/v1/statements"]) {
        const answer = await member.call("GET", path);
        expect(answer.status, `${role} ${path}`).toBe(may ? 200 : 403);
      }
      const answer = await member.call("PATCH", "/v1/billing/alerts", { low_balance: 1 });
      expect(answer.status, role).toBe(may ? 200 : 403);
    }
    const weak = await openCustomer(service, 0);
    const answer = await service.call("GET", "/v1/transactions", undefined, { key: weak.key });
    expectRefusal(answer, 403, "insufficient_scope");
  });
});
