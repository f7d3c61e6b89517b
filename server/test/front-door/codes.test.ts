import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let sibling: StartedService;
let customer: Customer;
/** Tries are counted by address too: each test comes from one of its own. */
let address: string;
let addresses = 0;

beforeAll(async () => {
  service = await startService((config) => ({ ...config, trustProxy: true }));
  sibling = await startSibling(service, (config) => ({ ...config, trustProxy: true }));
});

beforeEach(async () => {
  address = `192.0.2.${++addresses}`;
  customer = await openCustomer(service, 0, { scopes: ["read", "manage", "billing"] });
});

afterAll(async () => {
  await sibling.stop();
  await service.stop();
});

const redeem = (code: unknown, key = customer.key, on = service) =>
  on.call("POST", "/v1/redeem", { code }, { key, headers: { "x-forwarded-for": address } });

async function makeCode(terms: Record<string, unknown> = {}) {
  const { status, json, text } = await service.call("POST", "/v1/admin/codes", { credits: 5, ...terms });
  expect(status, text).toBe(201);
  return json.data[0] as { id: string; code: string; hint: string };
}

/** A well-formed code that was never made. */
async function unmadeCode(): Promise<string> {
  const { hint } = await makeCode();
  const bare = `${hint.slice(3, 7)}000000000000`;
  for (const last of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") {
    const answer = await redeem(bare + last);
    if (answer.status === 404) return bare + last;
  }
  throw new Error("No character makes it whole.");
}

describe("redeeming a code", () => {
  it("adds its credits at once, with a receipt and an entry in the audit log", async () => {
    const { code, hint } = await makeCode({ credits: 2.5 });
    const answer = await redeem(code);
    expect(answer.status, answer.text).toBe(200);
    const { transaction_id: id } = answer.json;
    expect(answer.json).toEqual({ credits: 2.5, balance: 2.5, transaction_id: id });
    expect((await balanceOf(service, customer.key)).balance).toBe(2.5);
    const receipt = await service.call("GET", `/v1/receipts/${id}`, undefined, { key: customer.key });
    expect(receipt.json).toMatchObject({ kind: "redeem", amount: 2.5, description: `Code ${hint} redeemed` });
    const { json } = await service.call("GET", "/v1/transactions?kind=redeem", undefined, {
      key: customer.key,
    });
    expect(json.data).toMatchObject([{ id, kind: "redeem", amount: 2.5, balance_after: 2.5 }]);
    const [auditEvent] = await service.services.identity.auditLog.list({ accountId: customer.id }, 1, undefined);
    expect(auditEvent).toMatchObject({
      action: "code.redeem",
      details: { credits: 2.5, transaction_id: id },
    });
    expect(JSON.stringify(auditEvent)).not.toContain(code);
  });

  it("forgives case, spaces, a missing prefix and look-alikes", async () => {
    const { code } = await makeCode();
    const typed = code.toLowerCase().replace("tl-", "").replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l");
    expect((await redeem(typed)).status).toBe(200);
  });

  it("is done once for an account, by any of its keys and on any instance", async () => {
    const { code } = await makeCode({ uses: 10 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, place) => redeem(code, customer.key, place % 2 ? service : sibling)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
    const repeated = answers.find(({ status }) => status === 409);
    if (repeated !== undefined)
      expectRefusal(repeated, 409, "conflict", { param: "code", message: /already, on \d{4}-\d\d-\d\d\./ });
    expect((await balanceOf(service, customer.key)).balance).toBe(5);
  });

  it("is refused with the reason once the code is used up, expired or withdrawn", async () => {
    const used = await makeCode();
    const first = await openCustomer(service, 0, { scopes: ["billing"] });
    expect((await redeem(used.code, first.key)).status).toBe(200);
    expectRefusal(await redeem(used.code), 404, "invalid_code", { param: "code", message: /used up/ });
    const stopped = await makeCode();
    expect((await service.call("DELETE", `/v1/admin/codes/${stopped.id}`)).status).toBe(204);
    expectRefusal(await redeem(stopped.code), 404, "invalid_code", { param: "code", message: /withdrawn/ });
    expect((await balanceOf(service, customer.key)).balance).toBe(0);
  });

  it("is refused for what is no code, and for a well-formed one that was never made", async () => {
    const { code } = await makeCode();
    const wrong = code.slice(0, -1) + (code.endsWith("0") ? "2" : "0");
    for (const text of [wrong, code.slice(0, -1), "x", "TL-"])
      expectRefusal(await redeem(text), 400, "invalid_request", {
        param: "code",
        message: /not a whole code/,
      });
    for (const text of ["", 5, null, "x".repeat(129)])
      expectRefusal(await redeem(text), 400, "invalid_request", { param: "code" });
    expectRefusal(await redeem(await unmadeCode()), 404, "invalid_code", {
      param: "code",
      message: /no such code/,
    });
  });

  it("is slowed down for an account that tries again and again; mistyped codes don't count", async () => {
    const unmade = await unmadeCode();
    for (let i = 0; i < 15; i++) expect((await redeem("TL-MISTYPED")).status).toBe(400);
    const answers = [];
    for (let i = 0; i < 10; i++) answers.push(await redeem(unmade));
    const last = answers.at(-1);
    expect(last?.json.error.type).toBe("rate_limited");
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
    const { code } = await makeCode();
    expect((await redeem(code)).status).toBe(429);
    const other = await openCustomer(service, 0, { scopes: ["billing"] });
    expect((await redeem(code, other.key)).status).toBe(200);
  });

  it("is slowed down for an address, whichever accounts it tries with", async () => {
    const unmade = await unmadeCode();
    const statuses: number[] = [];
    for (let account = 0; account < 4; account++) {
      const { key } = await openCustomer(service, 0, { scopes: ["billing"] });
      for (let i = 0; i < 8; i++) statuses.push((await redeem(unmade, key)).status);
    }
    expect(statuses.at(0)).toBe(404);
    expect(statuses.at(-1)).toBe(429);
  });

  it("is for those who may change the billing", async () => {
    const { code } = await makeCode({ uses: 5 });
    for (const role of ["viewer", "developer"] as const) {
      const member = await openMember(service, role, customer.id);
      expect((await member.call("POST", "/v1/redeem", { code })).json.error.type).toBe("insufficient_role");
    }
    const member = await openMember(service, "billing", customer.id);
    expect((await member.call("POST", "/v1/redeem", { code })).json.balance).toBe(5);
    const weak = await openCustomer(service, 0);
    expectRefusal(await redeem(code, weak.key), 403, "insufficient_scope");
  });
});

describe("the operator's codes", () => {
  it("are shown when they are made, and never again", async () => {
    const terms = { credits: 3, count: 3, uses: 2, note: "Fair", expires_at: "2999-01-01T00:00:00Z" };
    const made = await service.call("POST", "/v1/admin/codes", terms);
    expect(made.json.data).toHaveLength(3);
    expect(new Set(made.json.data.map(({ code }: { code: string }) => code)).size).toBe(3);
    const listed = await service.call("GET", "/v1/admin/codes?q=fair&state=active");
    expect(listed.json.data).toHaveLength(3);
    expect(listed.json.data[0]).toEqual({
      id: expect.any(String),
      hint: expect.stringMatching(/^TL-.{4}…$/),
      credits: 3,
      uses: 2,
      used: 0,
      note: "Fair",
      state: "active",
      expires_at: "2999-01-01T00:00:00.000Z",
      stopped_at: null,
      created_at: expect.any(String),
    });
    for (const { code } of made.json.data) {
      expect(listed.text).not.toContain(code);
      expect(service.logged()).not.toContain(code);
    }
    const page = await service.call("GET", "/v1/admin/codes?q=fair&limit=2");
    const rest = await service.call("GET", `/v1/admin/codes?q=fair&limit=2&cursor=${page.json.next_cursor}`);
    expect(rest.json).toMatchObject({ data: [{ note: "Fair" }], next_cursor: null });
  });

  it.each<[string, Record<string, unknown>]>([
    ["credits", { credits: 0 }],
    ["credits", { credits: "5" }],
    ["credits", { credits: 1e-10 }],
    ["count", { count: 0 }],
    ["count", { count: 1001 }],
    ["uses", { uses: 0 }],
    ["uses", { uses: 100_001 }],
    ["note", { note: "x".repeat(257) }],
    ["expires_at", { expires_at: "tomorrow" }],
    ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
  ])("are not made with a wrong %s: %o", async (param, terms) => {
    const answer = await service.call("POST", "/v1/admin/codes", { credits: 5, ...terms });
    expectRefusal(answer, 400, "invalid_request", { param });
  });

  it("are the operator's alone", async () => {
    for (const [method, path, body] of [
      ["POST", "/v1/admin/codes", { credits: 1 }],
      ["GET", "/v1/admin/codes", undefined],
      ["DELETE", "/v1/admin/codes/00000000-0000-7000-8000-000000000000", undefined],
    ] as const)
      expectRefusal(await service.call(method, path, body, { key: customer.key }), 403, "insufficient_scope");
  });

  it("are not stopped where there are none", async () => {
    for (const id of ["x", "00000000-0000-7000-8000-000000000000"])
      expectRefusal(await service.call("DELETE", `/v1/admin/codes/${id}`), 404, "not_found");
  });
});
