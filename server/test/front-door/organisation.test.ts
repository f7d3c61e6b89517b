import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember } from "../support/member.ts";
import { PUBLIC_ENDPOINT } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const MODEL = {
  name: "a-model",
  type: "text",
  endpoint: PUBLIC_ENDPOINT,
  auth_type: "none",
  pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
};

async function operatorsId(): Promise<string> {
  const { json } = await service.call("GET", "/v1/organisation");
  return json.id;
}

describe("an organisation", () => {
  it("is shown to its members and to its keys", async () => {
    const owner = await openMember(service);
    const { json } = await owner.call("GET", "/v1/organisation");
    expect(json).toEqual({
      id: owner.accountId,
      name: "An organisation",
      provider: expect.stringMatching(/^account-/),
      provider_fixed: false,
      operator: false,
      suspended: false,
      created_at: expect.any(String),
    });
    expect((await service.call("GET", "/v1/organisation")).json).toMatchObject({ operator: true });
  });

  it("takes a new name and a new provider name, under which it is known at once", async () => {
    const owner = await openMember(service);
    const provider = `renamed-${owner.accountId.slice(-8)}`;
    const changed = await owner.call("PATCH", "/v1/organisation", { name: "  Renamed ", provider });
    expect(changed.json).toMatchObject({ name: "Renamed", provider });
    const again = await owner.call("PATCH", "/v1/organisation", { provider });
    expect(again.status, "its own name is not taken").toBe(200);
  });

  it("can't take a provider name that another has, or that is the service's own", async () => {
    const [one, other] = [await openMember(service), await openMember(service)];
    const { json } = await other.call("GET", "/v1/organisation");
    for (const provider of [json.provider, "builtin", "operator"]) {
      const refused = await one.call("PATCH", "/v1/organisation", { provider });
      expectRefusal(refused, 409, "conflict", { param: "provider", message: /taken/ });
    }
  });

  it("keeps its provider name once it has models, and still when they are withdrawn", async () => {
    const { accountId } = await openMember(service);
    const owner = await openMember(service, "owner", accountId);
    expect((await owner.call("POST", "/v1/provider/models", MODEL)).status).toBe(201);
    for (const withdrawn of [false, true]) {
      if (withdrawn) await owner.call("DELETE", "/v1/provider/models/a-model");
      const refused = await owner.call("PATCH", "/v1/organisation", { provider: "another-name" });
      expectRefusal(refused, 409, "conflict", { param: "provider", message: /models/ });
      expect((await owner.call("GET", "/v1/organisation")).json.provider_fixed).toBe(true);
    }
  });

  it.each([
    ["name", { name: " " }],
    ["name", { name: "two\nlines" }],
    ["provider", { provider: "Upper" }],
    ["provider", { provider: "x" }],
  ])("refuses a wrong %s: %j", async (param, body) => {
    const owner = await openMember(service);
    expectRefusal(await owner.call("PATCH", "/v1/organisation", body), 400, "invalid_request", { param });
  });

  it("of the operator keeps its provider name, but not its name", async () => {
    const owner = await openMember(service, "owner", await operatorsId());
    const refused = await owner.call("PATCH", "/v1/organisation", { provider: "another" });
    expectRefusal(refused, 409, "conflict", { param: "provider" });
    const renamed = await owner.call("PATCH", "/v1/organisation", { name: "House", provider: "operator" });
    expect(renamed.json).toMatchObject({ name: "House", provider: "operator" });
  });
});

describe("another organisation", () => {
  it("is its maker's, and their session turns to it", async () => {
    const viewer = await openMember(service, "viewer");
    const made = await viewer.call("POST", "/v1/organisations", { name: "Mine" });
    expect(made.status).toBe(201);
    expect((await viewer.call("GET", "/v1/organisation")).json).toMatchObject({
      id: made.json.id,
      name: "Mine",
    });
    expect((await viewer.call("GET", "/v1/members")).json.data).toMatchObject([{ id: viewer.personId, role: "owner" }]);
    expect((await viewer.call("GET", "/v1/audit-log")).json.data).toMatchObject([
      { action: "organisation.create", subject: { id: made.json.id } },
    ]);
  });

  it("is refused to an owner of twenty", async () => {
    const owner = await openMember(service);
    for (let count = 1; count < 20; count++) {
      expect((await owner.call("POST", "/v1/organisations", { name: `No. ${count}` })).status).toBe(201);
    }
    expectRefusal(await owner.call("POST", "/v1/organisations", { name: "No. 20" }), 409, "conflict");
  });

  it("is the operator's to make where the service is not open to all", async () => {
    const closed = await startService((config) => ({ ...config, signUp: "invited" }));
    try {
      const otherAccount = await openMember(closed);
      expectRefusal(await otherAccount.call("POST", "/v1/organisations", { name: "Mine" }), 409, "conflict");
      const { json } = await closed.call("GET", "/v1/organisation");
      const operator = await openMember(closed, "viewer", json.id);
      expect((await operator.call("POST", "/v1/organisations", { name: "Ours" })).status).toBe(201);
    } finally {
      await closed.stop();
    }
  });
});

describe("closing an organisation", () => {
  it("revokes its keys, removes all members, and keeps its records", async () => {
    const owner = await openMember(service);
    const viewer = await openMember(service, "viewer", owner.accountId);
    const { json: key } = await owner.call("POST", "/v1/keys", { name: "k", scopes: ["read", "provider"] });
    const model = await owner.call("POST", "/v1/provider/models", { ...MODEL, name: "closing" });
    expect(model.status, model.text).toBe(201);
    expect((await service.call("GET", "/v1/balance", undefined, { key: key.key })).status).toBe(200);

    expect((await owner.call("DELETE", "/v1/organisation")).status).toBe(204);

    expectRefusal(await service.call("GET", "/v1/balance", undefined, { key: key.key }), 401, "invalid_api_key");
    for (const member of [owner, viewer])
      expectRefusal(await member.call("GET", "/v1/organisation"), 401, "invalid_session");
    const log = await service.call("GET", `/v1/admin/audit-log?account=${owner.accountId}&action=organisation.`);
    expect(log.json.data).toMatchObject([{ action: "organisation.close", actor: { name: owner.email } }]);
    expect(service.services.providers.catalogue.registeredBy(owner.accountId)).toEqual([]);
  });

  it("turns the sessions of those who have another one to it", async () => {
    const owner = await openMember(service);
    await owner.call("POST", "/v1/organisations", { name: "Second" });
    expect((await owner.call("DELETE", "/v1/organisation")).status).toBe(204);
    expect((await owner.call("GET", "/v1/organisation")).json.id).toBe(owner.accountId);
  });

  it("is refused while credits are left, unless they are given up", async () => {
    const owner = await openMember(service);
    await service.call("POST", `/v1/admin/accounts/${owner.accountId}/grants`, { amount: 2.5 });
    const refused = await owner.call("DELETE", "/v1/organisation");
    expectRefusal(refused, 409, "conflict", { param: "forfeit", message: /2\.5 credits/ });
    expect((await owner.call("DELETE", "/v1/organisation?forfeit=true")).status).toBe(204);
  });

  it("is never possible for the operator's", async () => {
    const owner = await openMember(service, "owner", await operatorsId());
    expectRefusal(await owner.call("DELETE", "/v1/organisation?forfeit=true"), 409, "conflict");
    expect((await service.call("GET", "/v1/balance")).status).toBe(200);
  });
});
