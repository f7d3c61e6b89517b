import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openMember, type TestMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let owner: TestMember;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});
beforeEach(async () => {
  owner = await openMember(service);
  await service.call("POST", `/v1/admin/accounts/${owner.accountId}/grants`, { amount: 1 });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

async function makeKey(terms: Record<string, unknown> = {}, maker = owner) {
  const { status, text, json } = await maker.call("POST", "/v1/keys", {
    name: "Key",
    scopes: ["inference", "read"],
    ...terms,
  });
  expect(status, text).toBe(201);
  return json;
}

const ask = (key: string) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" }, { key });
const namesOf = async (query = "") => {
  const { status, text, json } = await owner.call("GET", `/v1/keys${query}`);
  expect(status, text).toBe(200);
  return json.data.map(({ name }: { name: string }) => name);
};

describe("a key that is read", () => {
  it("says who made it, and that nothing was done with it yet", async () => {
    const made = await makeKey();
    expect(made).toMatchObject({
      state: "active",
      requests: 0,
      spent: { period: null, period_ends_at: null, total: 0 },
      made_by: { id: owner.personId, name: "The owner" },
      old_secret_ends_at: null,
      revoked_at: null,
    });
    const byKey = await service.call("POST", "/v1/keys", { name: "k", scopes: ["read"] });
    expect(byKey.json.made_by).toBeNull();
  });

  it("says what was spent, ever and in its budget's period", async () => {
    const made = await makeKey({ budget: { limit: 0.5, period: "month" } });
    await ask(made.key);
    await ask(made.key);
    const { json } = await owner.call("GET", `/v1/keys/${made.id}`);
    expect(json).toMatchObject({ requests: 2, spent: { period: 0.0001, total: 0.0001 } });
    expect(json.last_used_at).not.toBeNull();
    expect(Date.parse(json.spent.period_ends_at)).toBeGreaterThan(Date.parse(json.created_at));
    expect((await owner.call("GET", "/v1/keys")).json.data).toEqual([json]);
    const changed = await owner.call("PATCH", `/v1/keys/${made.id}`, {
      budget: { limit: 1, period: "total" },
    });
    expect(changed.json.spent).toEqual({ period: 0.0001, period_ends_at: null, total: 0.0001 });
  });

  it("says until when an old secret lives on", async () => {
    const made = await makeKey();
    const rotated = await owner.call("POST", `/v1/keys/${made.id}/rotate`, { grace_seconds: 3_600 });
    const { json } = await owner.call("GET", `/v1/keys/${made.id}`);
    expect(json.old_secret_ends_at).toBe(rotated.json.old_secret_ends_at);
    await owner.call("POST", `/v1/keys/${made.id}/rotate`, { grace_seconds: 0 });
    expect((await owner.call("GET", `/v1/keys/${made.id}`)).json.old_secret_ends_at).toBeNull();
  });
});

describe("the list of keys", () => {
  it("is narrowed by state; revoked ones are shown only when asked for, with what they cost", async () => {
    await makeKey({ name: "alive" });
    await makeKey({ name: "over", expires_at: "2020-01-01T00:00:00Z" });
    const leaked = await makeKey({ name: "leaked" });
    await ask(leaked.key);
    await owner.call("DELETE", `/v1/keys/${leaked.id}`);
    expect(await namesOf()).toEqual(["over", "alive"]);
    expect(await namesOf("?state=active")).toEqual(["alive"]);
    expect(await namesOf("?state=expired")).toEqual(["over"]);
    const { json } = await owner.call("GET", "/v1/keys?state=revoked");
    expect(json.data).toMatchObject([{ name: "leaked", state: "revoked", requests: 1, spent: { total: 0.00005 } }]);
    expect(json.data[0].revoked_at).not.toBeNull();
  });

  it("is searched by name and by hint, as plain text", async () => {
    const made = await makeKey({ name: "Backend 100% _live_" });
    await makeKey({ name: "Worker" });
    expect(await namesOf("?q=BACKEND")).toEqual(["Backend 100% _live_"]);
    expect(await namesOf("?q=%25")).toEqual(["Backend 100% _live_"]);
    expect(await namesOf("?q=_")).toEqual(["Worker", "Backend 100% _live_"]);
    expect(await namesOf(`?q=${encodeURIComponent(made.hint)}`)).toEqual(["Backend 100% _live_"]);
    expect(await namesOf("?q=nothing")).toEqual([]);
    expect(await namesOf("?q=%20")).toHaveLength(2);
    expect(await namesOf("?state=revoked&q=worker")).toEqual([]);
  });

  it("refuses what is no state and what no store can hold", async () => {
    expectRefusal(await owner.call("GET", "/v1/keys?state=dead"), 400, "invalid_request", { param: "state" });
    expectRefusal(await owner.call("GET", "/v1/keys?q=%00"), 400, "invalid_request", { param: "q" });
    expectRefusal(await owner.call("GET", `/v1/keys?q=${"x".repeat(129)}`), 400, "invalid_request", {
      param: "q",
    });
  });

  it("leaves out what members do their own work with, and other accounts' keys", async () => {
    await openMember(service);
    for (const query of ["", "?state=active", "?state=revoked", "?q=Dashboard"])
      expect(await namesOf(query)).toEqual([]);
  });
});

describe("a member", () => {
  it("gives no key more than the role reaches, and leaves mightier ones alone", async () => {
    const mighty = await makeKey({ name: "mighty", scopes: ["manage", "billing"] });
    const developer = await openMember(service, "developer", owner.accountId);
    await makeKey({ name: "plain" }, developer);
    const refused = await developer.call("POST", "/v1/keys", { name: "x", scopes: ["read", "billing"] });
    expectRefusal(refused, 403, "insufficient_scope", { param: "scopes", message: /role.*billing/ });
    for (const [method, path, body] of [
      ["PATCH", `/v1/keys/${mighty.id}`, { name: "mine" }],
      ["POST", `/v1/keys/${mighty.id}/rotate`, {}],
    ] as const) {
      expectRefusal(await developer.call(method, path, body), 403, "insufficient_scope", { param: "scopes" });
    }
  });

  it("learns which scopes the role can give", async () => {
    const given = async (member: TestMember) => {
      const { json } = await member.call("GET", "/v1/keys/scopes");
      return json.data.flatMap(({ scope, can_give: can }: { scope: string; can_give: boolean }) =>
        can ? [scope] : [],
      );
    };
    expect(await given(owner)).toEqual(["inference", "read", "manage", "billing", "provider", "directory"]);
    const developer = await openMember(service, "developer", owner.accountId);
    expect(await given(developer)).toEqual(["inference", "read", "provider"]);
    expect(await given(await openMember(service, "viewer", owner.accountId))).toEqual(["read"]);
  });

  it("may stop any key, as stopping a leak matters more", async () => {
    const mighty = await makeKey({ name: "mighty", scopes: ["manage", "billing"] });
    const developer = await openMember(service, "developer", owner.accountId);
    expect((await developer.call("DELETE", `/v1/keys/${mighty.id}`)).status).toBe(204);
    expect(await namesOf("?state=revoked")).toEqual(["mighty"]);
    const viewer = await openMember(service, "viewer", owner.accountId);
    const other = await makeKey();
    expectRefusal(await viewer.call("DELETE", `/v1/keys/${other.id}`), 403, "insufficient_role");
  });
});
