import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "other"));
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

async function makeKey(terms: Record<string, unknown> = {}, options: { key?: string } = {}) {
  const answer = await service.call(
    "POST",
    "/v1/keys",
    { name: "test", scopes: ["inference", "read"], ...terms },
    options,
  );
  expect(answer.status, answer.text).toBe(201);
  return answer.json as { id: string; key: string; hint: string };
}

const models = (key: string | null, headers: Record<string, string> = {}) =>
  service.call("GET", "/v1/models", undefined, { key, headers });
const ask = (key: string, model?: string) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model }, { key });

describe("authentication", () => {
  it("takes Bearer in any case, and the bare key", async () => {
    const { key } = await makeKey();
    for (const authorization of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`, key]) {
      expect((await models(null, { authorization })).status).toBe(200);
    }
  });

  it("says a key is missing only when none is sent; all else is one and the same answer", async () => {
    const missing = await models(null);
    expect(missing.status).toBe(401);
    expect(missing.json.error.type).toBe("missing_api_key");
    expect(missing.headers.get("www-authenticate")).toBe("Bearer");

    const revoked = await makeKey();
    await service.call("DELETE", `/v1/keys/${revoked.id}`);
    const expired = await makeKey({ expires_at: "2020-01-01T00:00:00Z" });
    const bodies = [];
    for (const authorization of [
      `Bearer ${revoked.key}`,
      `Bearer ${expired.key}`,
      "Bearer tl_unknown_key_of_nobody",
      "Basic dXNlcjpwYXNz",
      "Bearer a b",
    ]) {
      const { status, json } = await models(null, { authorization });
      expect(status).toBe(401);
      bodies.push({ ...json.error, request_id: "" });
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]?.type).toBe("invalid_api_key");
  });

  it("never takes a key from the query string, and never logs it", async () => {
    const { key } = await makeKey();
    for (const name of ["key", "api_key", "access_token", "authorization"]) {
      expect((await service.call("GET", `/v1/models?${name}=${key}`, undefined, { key: null })).status).toBe(401);
    }
    expect(service.logged()).not.toContain(key);
  });

  it("comes before every other answer", async () => {
    const strange = { authorization: "Bearer nobody-knows-this-key" };
    const answers = await Promise.all([
      service.call("POST", "/v1/ai/request", "{not json", { key: null, headers: strange }),
      service.call("POST", "/v1/ai/request", "x".repeat(2_000_000), { key: null, headers: strange }),
      service.call("POST", "/v1/ai/request", "a=b", {
        key: null,
        headers: { ...strange, "content-type": "text/plain" },
      }),
      service.call("DELETE", "/v1/models", undefined, { key: null, headers: strange }),
      service.call("GET", "/v1/no/such/path", undefined, { key: null, headers: strange }),
      service.call("GET", "/v1/keys?limit=-1", undefined, { key: null, headers: strange }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
  });
});

describe("a key's life", () => {
  it("is made, listed, changed and revoked, and its secret is shown once", async () => {
    const made = await makeKey({
      name: "Mine",
      requests_per_minute: 50,
      models: ["plain"],
      ips: ["127.0.0.0/8"],
      budget: { limit: 1.5, period: "month" },
    });
    expect(made.key).toMatch(/^tl_[0-9A-Za-z]{38}$/);
    const read = await service.call("GET", `/v1/keys/${made.id}`);
    expect(read.json).toMatchObject({
      id: made.id,
      name: "Mine",
      requests_per_minute: 50,
      models: ["plain"],
      budget: { limit: 1.5, period: "month" },
    });
    expect(read.text).not.toContain(made.key);
    const changed = await service.call("PATCH", `/v1/keys/${made.id}`, { name: "Yours", budget: null });
    expect(changed.json).toMatchObject({ name: "Yours", budget: null, models: ["plain"] });
    expect((await service.call("DELETE", `/v1/keys/${made.id}`)).status).toBe(204);
    expect((await service.call("GET", `/v1/keys/${made.id}`)).status).toBe(404);
    expect((await service.call("DELETE", `/v1/keys/${made.id}`)).status).toBe(404);
  });

  it("is listed in pages that neither skip nor repeat", async () => {
    for (let i = 0; i < 5; i++) await makeKey({ name: `page ${i}` });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await service.call("GET", `/v1/keys?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      expect(page.json.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.json.data.map((key: { id: string }) => key.id));
      cursor = page.json.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(5);
  });

  it("is rotated: the new secret holds at once, the old one for the grace period", async () => {
    const made = await makeKey();
    const rotated = await service.call("POST", `/v1/keys/${made.id}/rotate`);
    expect(rotated.status).toBe(200);
    expect((await models(rotated.json.key)).status).toBe(200);
    expect((await models(made.key)).status).toBe(200);
    const again = await service.call("POST", `/v1/keys/${made.id}/rotate`, { grace_seconds: 0 });
    expect((await models(again.json.key)).status).toBe(200);
    expect((await models(rotated.json.key)).status).toBe(401);
    expect((await models(made.key)).status).toBe(401);
  });

  it("ends at once when it is revoked", async () => {
    const made = await makeKey();
    expect((await models(made.key)).status).toBe(200);
    await service.call("DELETE", `/v1/keys/${made.id}`);
    expect((await models(made.key)).status).toBe(401);
  });
});

describe("what a key may do", () => {
  it("is what its scopes say, for every operation", async () => {
    const reader = await makeKey({ scopes: ["read"] });
    const refused = await ask(reader.key);
    expect(refused.status).toBe(403);
    expect(refused.json.error.type).toBe("insufficient_scope");
    for (const [method, path] of [
      ["POST", "/v1/keys"],
      ["PUT", "/v1/routing"],
      ["POST", "/v1/provider/models"],
      ["GET", "/v1/admin/accounts"],
    ] as const) {
      expect((await service.call(method, path, method === "GET" ? undefined : {}, { key: reader.key })).status).toBe(
        403,
      );
    }
    const speaker = await makeKey({ scopes: ["inference"] });
    expect((await models(speaker.key)).status).toBe(403);
  });

  it("can't be more than its maker's own, neither by making, changing nor rotating", async () => {
    const manager = await makeKey({ scopes: ["manage", "read"] });
    const made = await service.call("POST", "/v1/keys", { name: "x", scopes: ["inference"] }, { key: manager.key });
    expect(made.status).toBe(403);
    const own = await makeKey({ scopes: ["read"] }, { key: manager.key });
    expect(
      (await service.call("PATCH", `/v1/keys/${own.id}`, { scopes: ["read", "admin"] }, { key: manager.key })).status,
    ).toBe(403);
    const mighty = await makeKey({ scopes: ["admin", "read"] });
    expect((await service.call("POST", `/v1/keys/${mighty.id}/rotate`, {}, { key: manager.key })).status).toBe(403);
  });

  it("ends at the models and the addresses it is allowed", async () => {
    const narrow = await makeKey({ models: ["plain"] });
    expect((await ask(narrow.key, "plain")).status).toBe(200);
    expect((await ask(narrow.key, "other")).status).toBe(403);
    expect((await ask(narrow.key)).json.model_used).toBe("plain");
    const elsewhere = await makeKey({ ips: ["203.0.113.0/24", "2001:db8::/32"] });
    const refused = await models(elsewhere.key);
    expect(refused.status).toBe(403);
    expect(refused.json.error.type).toBe("insufficient_scope");
    const here = await makeKey({ ips: ["127.0.0.1"] });
    expect((await models(here.key)).status).toBe(200);
  });

  it("never reaches another account's objects: they answer like ones that don't exist", async () => {
    const account = await service.call("POST", "/v1/admin/accounts", { name: "Stranger" });
    const otherAccount = await service.call("POST", `/v1/admin/accounts/${account.json.id}/keys`, {
      name: "s",
      scopes: ["read", "manage", "provider", "inference"],
    });
    const { key } = otherAccount.json;
    const mine = await makeKey();
    const asked = await ask(mine.key, "plain");
    const requestId = asked.headers.get("x-request-id");
    const pairs = [
      ["GET", `/v1/keys/${mine.id}`, "/v1/keys/00000000-0000-7000-8000-000000000000"],
      ["DELETE", `/v1/keys/${mine.id}`, "/v1/keys/00000000-0000-7000-8000-000000000000"],
      ["GET", `/v1/requests/${requestId}`, "/v1/requests/00000000-0000-7000-8000-000000000000"],
      ["GET", "/v1/provider/models/plain", "/v1/provider/models/plain"],
      ["DELETE", "/v1/provider/models/plain", "/v1/provider/models/plain"],
    ] as const;
    for (const [method, theirs, nobodys] of pairs) {
      const there = await service.call(method, theirs, undefined, { key });
      const nowhere = await service.call(method, nobodys, undefined, { key });
      expect(there.status).toBe(404);
      expect({ ...there.json.error, request_id: "" }).toEqual({ ...nowhere.json.error, request_id: "" });
    }
    expect((await service.call("GET", "/v1/requests", undefined, { key })).json.data).toEqual([]);
    expect((await service.call("GET", "/v1/usage", undefined, { key })).json).toEqual({
      requests: 0,
      cost: 0,
    });
  });
});

describe("the rate limit", () => {
  it("admits a key's requests a minute, then answers 429 with when to come back", async () => {
    const { key } = await makeKey({ requests_per_minute: 3 });
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await models(key));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get("ratelimit")?.match(/r=(\d+)/)?.[1])).toEqual(["2", "1", "0", "0"]);
    const refused = answers[3];
    expect(refused?.json.error.type).toBe("rate_limited");
    expect(refused?.headers.get("ratelimit-policy")).toBe('"default";q=3;w=60');
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused?.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  it("is on every /v1 answer, refusals included", async () => {
    for (const { headers } of [
      await models(null),
      await service.call("GET", "/v1/nope"),
      await service.call("POST", "/v1/keys", {}),
    ]) {
      expect(headers.get("ratelimit-policy")).toMatch(/^"default";q=\d+;w=60$/);
      expect(headers.get("ratelimit")).toMatch(/^"default";r=\d+;t=\d+$/);
    }
  });
});

describe("bad keys of one's own making", () => {
  it.each([
    ["name", { scopes: ["read"] }],
    ["scopes", { name: "x", scopes: [] }],
    ["scopes[0]", { name: "x", scopes: ["everything"] }],
    ["expires_at", { name: "x", scopes: ["read"], expires_at: "tomorrow" }],
    ["requests_per_minute", { name: "x", scopes: ["read"], requests_per_minute: 0 }],
    ["budget.limit", { name: "x", scopes: ["read"], budget: { limit: -1, period: "day" } }],
    ["budget.limit", { name: "x", scopes: ["read"], budget: { limit: 0.0000000001, period: "day" } }],
    ["budget.period", { name: "x", scopes: ["read"], budget: { limit: 1, period: "year" } }],
    ["ips[0]", { name: "x", scopes: ["read"], ips: ["localhost"] }],
    ["models", { name: "x", scopes: ["read"], models: "plain" }],
  ])("are refused, and the message names %s", async (param, body) => {
    const { status, json } = await service.call("POST", "/v1/keys", body);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ type: "invalid_request", param, code: 400 });
  });
});
