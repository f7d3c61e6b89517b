import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openMember } from "../support/member.ts";
import { call, OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe("a session", () => {
  it("does by its cookie what the role may do", async () => {
    const owner = await openMember(service);
    const made = await owner.call("POST", "/v1/keys", { name: "mine", scopes: ["read"] });
    expect(made.status).toBe(201);
    const { json } = await owner.call("GET", "/v1/keys");
    expect(json.data).toMatchObject([{ name: "mine" }]);
  });

  it("can't do what the role can't", async () => {
    const viewer = await openMember(service, "viewer");
    const refused = await viewer.call("POST", "/v1/keys", { name: "mine", scopes: ["read"] });
    expect(refused.status).toBe(403);
    expect(refused.json.error.type).toBe("insufficient_role");
  });

  it("is invalid once it is over, or made up", async () => {
    for (const value of ["x".repeat(43), "short", ""]) {
      const answer = await call(service.url, "GET", "/v1/keys", undefined, {
        key: null,
        headers: { cookie: `trunkline_session=${value}` },
      });
      expect(answer.status, value).toBe(401);
    }
  });

  it("counts for nothing beside a key", async () => {
    const viewer = await openMember(service, "viewer");
    const answer = await call(service.url, "GET", "/v1/balance", undefined, {
      key: OPERATOR_KEY,
      headers: { cookie: viewer.cookie },
    });
    expect(answer.json.balance).toBe(1000);
  });
});

describe("another site's page", () => {
  it.each([
    ["says another origin", { origin: "https://evil.example" }],
    ["says the same host over another port", { origin: "http://127.0.0.1:1" }],
    ["is opaque", { origin: "null" }],
  ])("changes nothing by a person's cookie when it %s", async (_, headers) => {
    const owner = await openMember(service);
    for (const { method, path } of ALL_ENDPOINTS) {
      if (method === "GET" || path.startsWith("/v1/auth/")) continue;
      const answer = await owner.call(method, path, {}, headers);
      expect(answer.status, `${method} ${path}`).toBe(403);
      // Each wire format has its own place for it.
      expect(answer.text, `${method} ${path}`).toContain("cross_site");
    }
  });

  it("changes nothing either when no origin is said at all", async () => {
    const owner = await openMember(service);
    const answer = await call(
      service.url,
      "POST",
      "/v1/keys",
      { name: "x", scopes: ["read"] },
      {
        key: null,
        headers: { cookie: owner.cookie },
      },
    );
    expect(answer.json.error.type).toBe("cross_site");
  });
});

describe("the audit log", () => {
  it("has every change, with who made it and what it was", async () => {
    const owner = await openMember(service);
    const { json: key } = await owner.call("POST", "/v1/keys", { name: "mine", scopes: ["manage"] });
    await service.call("DELETE", `/v1/keys/${key.id}`, undefined, { key: key.key });
    const auditEvents = await service.services.identity.auditLog.list({ accountId: owner.accountId }, 10, undefined);
    expect(auditEvents).toMatchObject([
      { action: "key.revoke", actor: { kind: "key", id: key.id }, subjectId: key.id },
      {
        action: "key.create",
        actor: { kind: "person", name: owner.email },
        subjectName: "mine",
        details: { scopes: ["manage"] },
      },
    ]);
  });

  it("has nothing of what was refused", async () => {
    const owner = await openMember(service);
    await owner.call("POST", "/v1/keys", { name: "mine" });
    expect(await service.services.identity.auditLog.list({ accountId: owner.accountId }, 10, undefined)).toEqual([]);
  });

  it("is thought of by every operation that is not a reading", () => {
    for (const endpoint of ALL_ENDPOINTS) {
      if (endpoint.kind !== "control") continue;
      const name = `${endpoint.method} ${endpoint.path}`;
      if (endpoint.method === "GET") expect(endpoint.audit, name).toBeUndefined();
      else expect(endpoint.audit, name).not.toBeUndefined();
    }
  });
});
