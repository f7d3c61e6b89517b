import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balanceOf, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

const create = (body: unknown) => service.call("POST", "/v1/admin/accounts", body);
const NOBODY = "00000000-0000-7000-8000-000000000000";

describe("the operator", () => {
  it("opens accounts, finds them again, and gives them credits and keys", async () => {
    const made = await create({ name: "Acme", provider: "acme" });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Acme",
      provider: "acme",
      operator: false,
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    });
    const { id } = made.json;
    const list = await service.call("GET", "/v1/admin/accounts?limit=100");
    expect(list.json.data).toContainEqual(expect.objectContaining(made.json));
    expect(list.json.data.filter((account: { operator: boolean }) => account.operator)).toHaveLength(1);

    const grants = `/v1/admin/accounts/${id}/grants`;
    expect((await service.call("POST", grants, { amount: 1.5, memo: "Welcome" })).json).toEqual({
      balance: 1.5,
    });
    expect((await service.call("POST", grants, { amount: 0.000000001 })).json).toEqual({
      balance: 1.500000001,
    });
    const key = await service.call("POST", `/v1/admin/accounts/${id}/keys`, {
      name: "First",
      scopes: ["read"],
    });
    expect(key.status).toBe(201);
    expect(await balanceOf(service, key.json.key)).toMatchObject({ balance: 1.500000001, held: 0 });
  });

  it("lists accounts in pages", async () => {
    for (let time = 0; time < 3; time++) await create({ name: `Page ${time}` });
    const first = await service.call("GET", "/v1/admin/accounts?limit=2");
    expect(first.json.data).toHaveLength(2);
    const second = await service.call("GET", `/v1/admin/accounts?limit=2&cursor=${first.json.next_cursor}`);
    const ids = [...first.json.data, ...second.json.data].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ["name", {}],
    ["name", { name: "" }],
    ["name", { name: "   " }],
    ["name", { name: "x".repeat(129) }],
    ["name", { name: "nul \u0000 byte" }],
    ["name", { name: 5 }],
    ["provider", { name: "x", provider: "Has Spaces" }],
    ["provider", { name: "x", provider: "a/b" }],
    ["provider", { name: "x", provider: "" }],
  ])("can't open an account with a wrong %s", async (param, body) => {
    expectRefusal(await create(body), 400, "invalid_request", { param });
  });

  it("can't open one under a provider's name that is taken", async () => {
    await create({ name: "One", provider: "taken" });
    for (const provider of ["taken", "operator", "builtin"]) {
      expectRefusal(await create({ name: "Two", provider }), 409, "conflict", { param: "provider" });
    }
  });

  it.each([
    ["amount", {}],
    ["amount", { amount: 0 }],
    ["amount", { amount: -5 }],
    ["amount", { amount: "5" }],
    ["amount", { amount: 1e-10 }],
    ["amount", { amount: 1e15 }],
    ["memo", { amount: 1, memo: "nul \u0000 byte" }],
  ])("can't give a wrong %s", async (param, body) => {
    const { id } = await openCustomer(service, 1);
    expectRefusal(await service.call("POST", `/v1/admin/accounts/${id}/grants`, body), 400, "invalid_request", {
      param,
    });
  });

  it("can't give anything to an account that does not exist", async () => {
    for (const id of [NOBODY, "x", "%00"]) {
      expectRefusal(await service.call("POST", `/v1/admin/accounts/${id}/grants`, { amount: 1 }), 404, "not_found");
      expectRefusal(
        await service.call("POST", `/v1/admin/accounts/${id}/keys`, { name: "k", scopes: ["read"] }),
        404,
        "not_found",
      );
    }
  });

  it("keeps the scope `admin` to itself", async () => {
    const { id, key } = await openCustomer(service, 1);
    const mighty = await service.call("POST", `/v1/admin/accounts/${id}/keys`, {
      name: "k",
      scopes: ["read", "admin"],
    });
    expectRefusal(mighty, 400, "invalid_request", { param: "scopes" });
    for (const [method, path] of [
      ["GET", "/v1/admin/accounts"],
      ["POST", "/v1/admin/accounts"],
      ["POST", `/v1/admin/accounts/${id}/grants`],
      ["POST", `/v1/admin/accounts/${id}/keys`],
    ] as const) {
      const body = method === "POST" ? { name: "x", amount: 1, scopes: ["read"] } : undefined;
      expectRefusal(await service.call(method, path, body, { key }), 403, "insufficient_scope");
    }
    expect(await balanceOf(service, key)).toMatchObject({ balance: 1 });
  });
});
