import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import { openTeam } from "../support/team.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const DAY_MS = 86_400_000;
const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const csv = { accept: "text/csv" };

describe("the audit log", () => {
  it("says who did what, to what, from where and when", async () => {
    const { owner, developer } = await openTeam(service);
    const { json: key } = await developer.call("POST", "/v1/keys", { name: "mine", scopes: ["read"] });
    const { json } = await owner.call("GET", "/v1/audit-log");
    expect(json).toEqual({
      data: [
        {
          id: expect.any(String),
          action: "key.create",
          actor: { kind: "person", id: developer.personId, name: developer.email },
          subject: { id: key.id, name: "mine" },
          details: { scopes: ["read"] },
          address: "127.0.0.1",
          created_at: expect.any(String),
        },
      ],
      next_cursor: null,
    });
  });

  it("is narrowed by who, what and when", async () => {
    const { owner, admin } = await openTeam(service);
    for (const member of [owner, admin]) await member.call("POST", "/v1/keys", { name: "k", scopes: ["read"] });
    await owner.call("PATCH", "/v1/organisation", { name: "Other" });
    const count = async (query: string) => (await owner.call("GET", `/v1/audit-log?${query}`)).json.data.length;
    expect(await count("")).toBe(3);
    expect(await count(`actor=${admin.personId}`)).toBe(1);
    expect(await count("action=key.create")).toBe(2);
    expect(await count("action=organisation.")).toBe(1);
    // A test may run past midnight: a day more on either side holds all of it.
    expect(await count(`from=${dayIn(-1)}&to=${dayIn(1)}`)).toBe(3);
    expect(await count(`to=${dayIn(-2)}`)).toBe(0);
    expect(await count(`from=${dayIn(2)}`)).toBe(0);
  });

  it.each([
    ["actor", "actor=somebody"],
    ["action", "action=KEY%25"],
    ["from", "from=2026-02-30"],
    ["to", "to=tomorrow"],
    ["limit", "limit=1000"],
    ["cursor", "cursor=x"],
  ])("refuses a wrong %s", async (param, query) => {
    const owner = await openMember(service);
    expectRefusal(await owner.call("GET", `/v1/audit-log?${query}`), 400, "invalid_request", { param });
  });

  it("comes in pages, the newest first", async () => {
    const owner = await openMember(service);
    for (const name of ["one", "two", "three"]) await owner.call("POST", "/v1/keys", { name, scopes: ["read"] });
    const first = await owner.call("GET", "/v1/audit-log?limit=2");
    expect(first.json.data).toMatchObject([{ subject: { name: "three" } }, { subject: { name: "two" } }]);
    const rest = await owner.call("GET", `/v1/audit-log?limit=2&cursor=${first.json.next_cursor}`);
    expect(rest.json).toMatchObject({ data: [{ subject: { name: "one" } }], next_cursor: null });
  });

  it("comes as CSV, and nothing in it is run by a spreadsheet", async () => {
    const owner = await openMember(service);
    const name = '=HYPERLINK("https://evil.example","a")';
    await owner.call("POST", "/v1/keys", { name, scopes: ["read"] });
    const answer = await owner.call("GET", "/v1/audit-log", undefined, csv);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head, row] = answer.text.trim().split("\r\n");
    expect(head).toBe("time,action,actor_kind,actor,actor_id,subject,subject_id,details,address");
    expect(row).toContain(`,"'=HYPERLINK(""https://evil.example"",""a"")",`);
    expect(row).toContain('"{""scopes"":[""read""]}"');
    expect(row?.startsWith("20")).toBe(true);
  });

  it("tells an account what the operator did, but not who works there; the operator's own log does", async () => {
    const { json: organisation } = await service.call("GET", "/v1/organisation");
    const operator = await openMember(service, "admin", organisation.id);
    const customer = await openMember(service);
    await operator.call("POST", `/v1/admin/accounts/${customer.accountId}/grants`, { amount: 5 });
    const answer = await customer.call("GET", "/v1/audit-log");
    expect(answer.json.data).toMatchObject([
      {
        action: "account.grant",
        actor: { kind: "service", id: null, name: "The operator" },
        address: null,
        details: { amount: 5 },
      },
    ]);
    expect(answer.text).not.toContain(operator.email);
    const own = await operator.call("GET", "/v1/audit-log?limit=1");
    expect(own.json.data).toMatchObject([
      { action: "account.grant", actor: { name: operator.email }, subject: { id: customer.accountId } },
    ]);
  });

  it("is no other organisation's, but the operator's to read", async () => {
    const [one, other] = [await openMember(service), await openMember(service)];
    await one.call("POST", "/v1/keys", { name: "ones", scopes: ["read"] });
    expect((await other.call("GET", "/v1/audit-log")).json.data).toEqual([]);
    const ofOne = await service.call("GET", `/v1/admin/audit-log?account=${one.accountId}`);
    expect(ofOne.json.data).toMatchObject([{ account_id: one.accountId, subject: { name: "ones" } }]);
    const all = await service.call("GET", "/v1/admin/audit-log?limit=100");
    expect(all.json.data.length).toBeGreaterThan(1);
    const table = await service.call("GET", "/v1/admin/audit-log", undefined, { headers: csv });
    expect(table.text.split("\r\n")[0]).toMatch(/^account_id,time,/);
    const wrong = await service.call("GET", "/v1/admin/audit-log?account=x");
    expectRefusal(wrong, 400, "invalid_request", { param: "account" });
  });
});
