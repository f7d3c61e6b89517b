import { createHmac } from "node:crypto";
import { exportSPKI } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HostileIssuer, startHostileIssuer } from "../support/hostile-issuer.ts";
import { openMember, type TestMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let issuer: HostileIssuer;
let other: HostileIssuer;
let service: StartedService;
let owner: TestMember;

beforeAll(async () => {
  [issuer, other] = await Promise.all([startHostileIssuer(), startHostileIssuer()]);
  const privateIssuers = [issuer.issuer, other.issuer];
  service = await startService((config) => ({ ...config, privateIssuers }));
  owner = await openMember(service);
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([issuer?.stop(), other?.stop()]);
});

const CONDITIONS = [{ claim: "repository", values: ["acme/site", "acme/tool-*"] }];
const AUDIENCE = "https://ai.example.com";
const CLAIMS = { aud: AUDIENCE, sub: "repo:acme/site", repository: "acme/site" };

async function openAccount(terms: object = {}, trust: object = {}): Promise<{ id: string; trustId: string }> {
  const made = await owner.call("POST", "/v1/service-accounts", {
    name: "CI",
    scopes: ["inference", "read"],
    ...terms,
  });
  expect(made.status, made.text).toBe(201);
  expect(made.json).toMatchObject({ hint: "", made_by: null });
  const path = `/v1/service-accounts/${made.json.id}/trusts`;
  const body = { name: "GitHub", issuer: issuer.issuer, audience: AUDIENCE, conditions: CONDITIONS, ...trust };
  const trusted = await owner.call("POST", path, body);
  expect(trusted.status, trusted.text).toBe(201);
  return { id: made.json.id, trustId: trusted.json.id };
}

async function exchange(id: string, token: string) {
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    subject_token: token,
    service_account: id,
  });
  return service.call("POST", "/v1/auth/token", form.toString(), {
    key: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

const use = (key: string) => service.call("GET", "/v1/models", undefined, { key });

describe("a workload's token", () => {
  it("is exchanged for a key with the scopes and limits of the service account", async () => {
    const { id } = await openAccount({ budget: { limit: 5, period: "day" } }, { lifetime_seconds: 600 });
    const answer = await exchange(id, await issuer.sign(CLAIMS));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({ token_type: "Bearer", expires_in: 600 });
    const key = answer.json.access_token;
    expect((await use(key)).status).toBe(200);
    expect((await service.call("GET", "/v1/keys", undefined, { key })).status).toBe(403);
    // All keys are one key in usage and budget, and it is not among people's keys.
    const listed = await owner.call("GET", "/v1/service-accounts");
    expect(listed.json.data.find((each: { id: string }) => each.id === id)).toMatchObject({ budget: { limit: 5 } });
    expect((await owner.call("GET", "/v1/keys")).json.data).toEqual([]);
    const [secret] = await service.database.query<{ left: number }>(
      "SELECT extract(epoch FROM max(expires_at) - now())::float8 AS left FROM api_key_secrets WHERE key_id = $1",
      [id],
    );
    expect(secret?.left).toBeLessThanOrEqual(600);
    const log = await owner.call("GET", "/v1/audit-log");
    expect(log.json.data[0]).toMatchObject({
      action: "service_account.exchange",
      actor: { name: "Workload repo:acme/site" },
    });
  });

  it("may also come as JSON, and fits a pattern", async () => {
    const { id } = await openAccount();
    const body = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      subject_token: await issuer.sign({ ...CLAIMS, repository: "acme/tool-box" }),
      service_account: id,
    };
    expect((await service.call("POST", "/v1/auth/token", body, { key: null })).status).toBe(200);
    const wrong = { ...body, grant_type: "password" };
    expect((await service.call("POST", "/v1/auth/token", wrong, { key: null })).status).toBe(400);
  });

  it("gives nothing where it does not fit", async () => {
    const { id } = await openAccount();
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const unsigned = `${part({ alg: "HS256", kid: "k1" })}.${part({ ...CLAIMS, iss: issuer.issuer, exp: 9_999_999_999 })}`;
    const publicKey = await exportSPKI(issuer.publicKey());
    const tokens = {
      "another audience": await issuer.sign({ ...CLAIMS, aud: "x" }),
      "another repository": await issuer.sign({ ...CLAIMS, repository: "acme/other" }),
      "no repository": await issuer.sign({ aud: AUDIENCE }),
      expired: await issuer.sign(CLAIMS, {}, "1 hour ago"),
      "another issuer": await other.sign(CLAIMS),
      "another's signature": await other.sign({ ...CLAIMS, iss: issuer.issuer }),
      "no signature": `${part({ alg: "none" })}.${unsigned.split(".")[1]}.`,
      "the public key as a secret": `${unsigned}.${createHmac("sha256", publicKey).update(unsigned).digest("base64url")}`,
      nonsense: "nonsense",
    };
    for (const [words, token] of Object.entries(tokens)) {
      const answer = await exchange(id, token);
      expect(answer.status, `${words}: ${answer.text}`).toBe(401);
      expect(answer.json.error).toMatchObject({ type: "invalid_login", param: "subject_token" });
    }
    expect((await exchange(owner.accountId, await issuer.sign(CLAIMS))).status).toBe(401);
    expect((await exchange("x", await issuer.sign(CLAIMS))).status).toBe(401);
  });

  it("gives nothing any more once the trust or the account is gone, and its keys end with the account", async () => {
    const { id, trustId } = await openAccount();
    const key = (await exchange(id, await issuer.sign(CLAIMS))).json.access_token;
    const path = `/v1/service-accounts/${id}`;
    expect((await owner.call("DELETE", `${path}/trusts/${trustId}`)).status).toBe(204);
    expect((await exchange(id, await issuer.sign(CLAIMS))).status).toBe(401);
    expect((await use(key)).status).toBe(200);
    expect((await owner.call("PATCH", path, { scopes: ["inference"] })).status).toBe(200);
    expect((await use(key)).status).toBe(403);
    expect((await owner.call("DELETE", path)).status).toBe(204);
    expect((await use(key)).status).toBe(401);
    expect((await owner.call("GET", path)).status).toBe(404);
  });
});

describe("a trust", () => {
  it("is bounded by the one who sets it up", async () => {
    const { id } = await openAccount({ scopes: ["inference", "billing"] });
    const body = { name: "Mine", issuer: issuer.issuer, audience: AUDIENCE, conditions: CONDITIONS };
    const path = `/v1/service-accounts/${id}/trusts`;
    // A developer has no billing, so may neither make such an account nor trust others with it.
    const developer = await openMember(service, "developer", owner.accountId);
    expect((await developer.call("POST", "/v1/service-accounts", { name: "x", scopes: ["billing"] })).status).toBe(403);
    expect((await developer.call("POST", path, body)).status).toBe(403);
    const limited = { name: "Limited", scopes: ["manage", "inference", "billing"] };
    const ending = { ...limited, expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    for (const terms of [ending, { ...limited, ips: ["127.0.0.1"] }, { ...limited, models: ["x"] }]) {
      const { json } = await owner.call("POST", "/v1/keys", terms);
      const answer = await service.call("POST", path, body, { key: json.key });
      expect(answer.status, answer.text).toBe(403);
    }
    const stranger = await openMember(service);
    expect((await stranger.call("POST", path, body)).status).toBe(404);
    expect((await stranger.call("GET", path)).status).toBe(404);
    expect((await stranger.call("DELETE", `/v1/service-accounts/${id}`)).status).toBe(404);
  });

  it("is refused where it would let strangers in, or for an issuer that can't be reached", async () => {
    const { id } = await openAccount();
    const body = { name: "x", audience: AUDIENCE, conditions: CONDITIONS };
    const path = `/v1/service-accounts/${id}/trusts`;
    const github = "https://token.actions.githubusercontent.com";
    const refused = [
      ["conditions", { ...body, issuer: github, conditions: [{ claim: "ref", values: ["refs/heads/main"] }] }],
      ["conditions", { ...body, issuer: issuer.issuer, conditions: [{ claim: "sub", values: ["*"] }] }],
      ["conditions", { ...body, issuer: issuer.issuer, conditions: [] }],
      ["issuer", { ...body, issuer: "http://127.0.0.1:9" }],
      ["issuer", { ...body, issuer: "https://10.1.2.3" }],
      ["lifetime_seconds", { ...body, issuer: issuer.issuer, lifetime_seconds: 10_000_000 }],
    ] as const;
    for (const [param, sent] of refused) {
      const answer = await owner.call("POST", path, sent);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json.error.param).toBe(param);
    }
    const key = await owner.call("POST", "/v1/keys", { name: "A key", scopes: ["read"] });
    const onKey = `/v1/service-accounts/${key.json.id}/trusts`;
    expect((await owner.call("POST", onKey, { ...body, issuer: issuer.issuer })).status).toBe(404);
  });

  it("survives the person who set it up", async () => {
    const leaver = await openMember(service, "admin", owner.accountId);
    const { json } = await leaver.call("POST", "/v1/service-accounts", { name: "CI", scopes: ["read"] });
    const body = { name: "x", issuer: issuer.issuer, audience: AUDIENCE, conditions: CONDITIONS };
    await leaver.call("POST", `/v1/service-accounts/${json.id}/trusts`, body);
    const removed = await owner.call("DELETE", `/v1/members/${leaver.personId}?revoke_keys=true`);
    expect(removed.status).toBe(204);
    expect((await exchange(json.id, await issuer.sign(CLAIMS))).status).toBe(200);
  });
});
