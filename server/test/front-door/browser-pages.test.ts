import { request } from "node:http";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const SITE = "https://chat.example";
const QUESTION = { task: "embedding", input: "Hi" };

async function newKey(terms: object = {}): Promise<{ id: string; key: string }> {
  const made = await service.call("POST", "/v1/keys", { name: "page", scopes: ["inference"], ...terms });
  expect(made.status).toBe(201);
  return made.json;
}

/** What a page of `origin` gets with a key. `fetch` would not send the header. */
function askFrom(origin: string, key: string | null, method = "POST", path = "/v1/embeddings") {
  const { hostname, port } = new URL(service.url);
  const body = method === "POST" ? JSON.stringify({ input: "Hi" }) : "";
  const headers = {
    origin,
    "content-type": "application/json",
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  return new Promise<{ status: number; json: { error?: { type: string } }; allowed: unknown; exposed: unknown }>(
    (resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers }, (response) => {
        let text = "";
        response.on("data", (piece) => {
          text += piece;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            json: JSON.parse(text || "{}"),
            allowed: response.headers["access-control-allow-origin"],
            exposed: response.headers["access-control-expose-headers"],
          }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

async function preflight(path: string, headers: Record<string, string> = {}) {
  return fetch(service.url + path, {
    method: "OPTIONS",
    headers: {
      origin: SITE,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-stainless-lang",
      ...headers,
    },
  });
}

describe("a browser may ask without a key whether a page may send a request:", () => {
  it.each([
    "/v1/generate",
    "/v1/chat/completions",
    "/anthropic/v1/messages",
    "/v1beta/models/m:generateContent",
    "/v1/keys",
  ])("%s", async (path) => {
    const answer = await preflight(path);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("access-control-allow-headers")).toBe("authorization,content-type,x-stainless-lang");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("and no header is allowed by a name that is none", async () => {
    const answer = await preflight("/v1/generate", { "access-control-request-headers": "a;b" });
    expect(answer.headers.get("access-control-allow-headers")).toBeNull();
  });

  it("but OPTIONS alone is refused as before", async () => {
    const answer = await service.call("OPTIONS", "/v1/generate");
    expectRefusal(answer, 405, "method_not_allowed");
  });
});

describe("a page of another site", () => {
  it("may use a key for inference, and reads all headers of the answer", async () => {
    const { key } = await newKey();
    expect(await askFrom(SITE, key)).toMatchObject({ status: 200, allowed: "*", exposed: "*" });
  });

  it("reads why it is refused", async () => {
    expect(await askFrom(SITE, null)).toMatchObject({ status: 401, allowed: "*" });
    expect(await askFrom(SITE, null, "GET", "/v1/balance")).toMatchObject({ status: 401, allowed: "*" });
  });

  it("may not use a key that can change things, unless the key lists the site", async () => {
    const { key } = await newKey({ scopes: ["inference", "manage"] });
    expect(await askFrom(SITE, key)).toMatchObject({
      status: 403,
      allowed: "*",
      json: { error: { type: "insufficient_scope" } },
    });
    const listed = await newKey({ scopes: ["inference", "manage"], origins: [SITE] });
    expect((await askFrom(SITE, listed.key)).status).toBe(200);
    expect((await askFrom("https://other.example", listed.key)).status).toBe(403);
  });

  it("may use a key where the key's own list has the site", async () => {
    const { id, key } = await newKey({ origins: ["https://*.example", "http://localhost:3000"] });
    expect((await askFrom("https://a.example", key)).status).toBe(200);
    expect((await askFrom("http://localhost:3000", key)).status).toBe(200);
    expect((await askFrom("http://localhost:4000", key)).status).toBe(403);
    expect((await askFrom("null", key)).status).toBe(403);
    await service.call("PATCH", `/v1/keys/${id}`, { origins: ["*"] });
    expect((await askFrom("null", key)).status).toBe(200);
    await service.call("PATCH", `/v1/keys/${id}`, { origins: [] });
    expect((await askFrom("https://a.example", key)).status).toBe(403);
    expect((await service.call("GET", `/v1/keys/${id}`)).json.origins).toEqual([]);
  });

  it("may use keys where the account lists the site, and a key's own list goes before", async () => {
    const [plain, own] = [await newKey(), await newKey({ origins: ["https://own.example"] })];
    const changed = await service.call("PATCH", "/v1/settings", { origins: ["https://Account.example"] });
    expect(changed.json.origins).toEqual(["https://account.example"]);
    expect((await askFrom("https://account.example", plain.key)).status).toBe(200);
    expect((await askFrom(SITE, plain.key)).status).toBe(403);
    expect((await askFrom("https://own.example", own.key)).status).toBe(200);
    expect((await askFrom("https://account.example", own.key)).status).toBe(403);
    await service.call("PATCH", "/v1/settings", { origins: null });
    expect((await askFrom(SITE, plain.key)).status).toBe(200);
  });
});

it("our own pages and programs that are no page may use every key", async () => {
  const { key } = await newKey({ scopes: ["inference", "manage"], origins: [] });
  expect((await askFrom(service.url, key)).status).toBe(200);
  const answer = await service.call("POST", "/v1/ai/request", QUESTION, { key });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

it.each([["https://a.example/path"], ["a.example"], [""], [7]])("refuses %j in a list", async (origin) => {
  const key = await service.call("POST", "/v1/keys", { name: "x", scopes: ["inference"], origins: [origin] });
  expectRefusal(key, 400, "invalid_request", { param: "origins[0]" });
  const settings = await service.call("PATCH", "/v1/settings", { origins: [origin] });
  expectRefusal(settings, 400, "invalid_request", { param: "origins[0]" });
});
