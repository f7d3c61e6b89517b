import { METHODS } from "node:http";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

/** Asks with a method and a target that fetch would mend or refuse. */
async function ask(method: string, target: string, ...lines: readonly string[]) {
  const client = await RawConnection.open(service.url);
  client.send(
    head(
      `${method} ${target} HTTP/1.1`,
      "Host: trunkline",
      `Authorization: Bearer ${OPERATOR_KEY}`,
      "Connection: close",
      ...lines,
    ),
  );
  await client.closed();
  return client;
}

const statusOf = (client: RawConnection) => Number(client.received.split(" ")[1]);

describe("a path that does not exist", () => {
  it.each([
    "/v1",
    "/v1/",
    "/v2/models",
    "/v1/model",
    "/v1/models/",
    "/v1/Models",
    "/v1//models",
    "/v1/ai",
    "/v1/ai/request/",
    "/v1/ai/request/x",
    "/v1/keys/a/b/c",
    "/v1/complete",
    "/favicon.ico",
    "/.env",
  ])("answers 404 in the form of every error: %s", async (path) => {
    const client = await ask("GET", path);
    expectRefusal(await client.answer(), 404, path === "/v1/models/" ? "model_not_found" : "not_found", {
      ...(path === "/v1/models/" ? { param: "name" } : {}),
    });
  });

  it("answers the same with any method and body", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expectRefusal(await service.call(method, "/v1/nothing/here", "{not json"), 404, "not_found");
    }
  });

  it("says under /v1 to a client without a key only that one is needed", async () => {
    for (const [method, path] of [
      ["GET", "/v1/nothing"],
      ["DELETE", "/v1/models"],
      ["POST", "/v1/usage"],
      ["GET", "/v1/models?type=nonsense"],
    ] as const) {
      const body = method === "POST" ? {} : undefined;
      expectRefusal(await service.call(method, path, body, { key: null }), 401, "missing_api_key");
    }
  });

  it("can't be written so that it breaks the answer", async () => {
    for (const target of [
      "/v1/%",
      "/v1/%zz",
      "/v1/models/%ff",
      "/v1/models/%00",
      `/v1/keys/${"k".repeat(400)}`,
      `/v1/models/${"m".repeat(2_000)}`,
      "/v1/keys/..%2f..%2fetc%2fpasswd",
      '/v1/models/"><script>alert(1)</script>',
      "http://elsewhere.example/v1/nothing",
      "//",
      "//:x",
      "/\\",
      "///a:b",
      "//a:99999/",
    ]) {
      const client = await ask("GET", target.replaceAll(" ", "%20"));
      const answer = await client.answer();
      expect([400, 404], `${target}: ${answer.text}`).toContain(answer.status);
      expectRefusal(
        answer,
        answer.status,
        answer.json.error.type,
        answer.json.error.param === undefined ? {} : { param: answer.json.error.param },
      );
    }
  });
});

/** Other wire formats have errors of their own form. */
const isOwn = (path: string) => path.startsWith("/v1/");

describe("a method that a path does not know", () => {
  const paths = [...new Set(ALL_ENDPOINTS.map(({ path }) => path))];

  it.each(paths)("answers 405 and says which it knows: %s", async (path) => {
    const allowed = ALL_ENDPOINTS.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
    const target = path.replace(":id", "0").replace(":name", "x").replace("*", "x");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE", "PROPFIND"]) {
      if (allowed.some((known) => known === method)) continue;
      const answer = await (await ask(method, target)).answer();
      if (isOwn(path)) expectRefusal(answer, 405, "method_not_allowed", { message: new RegExp(method) });
      else expect(answer.status, `${method} ${path} ${answer.text}`).toBe(405);
      expect(answer.text).toContain("method_not_allowed");
      const named = (answer.headers.get("allow") ?? "").split(", ");
      expect(named).toEqual(expect.arrayContaining(allowed));
      expect(named).not.toContain(method);
    }
  });

  it("is refused by its own name, whichever of those that Node reads", async () => {
    for (const method of METHODS.filter((name) => !["CONNECT", "GET", "HEAD"].includes(name))) {
      const known = await (await ask(method, "/v1/models")).answer();
      expectRefusal(known, 405, "method_not_allowed", { message: new RegExp(`^${method} is not possible`) });
      const unknown = await (await ask(method, "/v1/nothing")).answer();
      expectRefusal(unknown, 404, "not_found", { message: new RegExp(`nothing at ${method} /v1/nothing`) });
    }
  });

  it("is not HEAD where GET is known: the same status and headers, and no body", async () => {
    for (const path of ["/v1/models", "/v1/balance", "/healthz", "/openapi.json"]) {
      const client = await ask("HEAD", path);
      expect(statusOf(client)).toBe(200);
      expect(client.received).toMatch(/\r\n\r\n$/);
      expect(client.received).toMatch(/^x-request-id: /im);
    }
    expect(statusOf(await ask("HEAD", "/v1/models/no-such-model"))).toBe(404);
  });

  it("is HEAD where only POST is known", async () => {
    const client = await ask("HEAD", "/v1/ai/request");
    expect(statusOf(client)).toBe(405);
    expect(client.received).toMatch(/^allow: POST\r$/im);
  });

  it("is not shown without a key", async () => {
    for (const method of ["OPTIONS", "DELETE"]) {
      expectRefusal(await service.call(method, "/v1/models", undefined, { key: null }), 401, "missing_api_key");
    }
  });
});

describe("the ids of a request", () => {
  it("are ours on every answer, and never the client's own", async () => {
    for (const path of ["/v1/models", "/v1/nothing", "/nothing", "/healthz", "/readyz", "/metrics", "/openapi.json"]) {
      const ids = await Promise.all(
        [1, 2].map(async () => {
          const answer = await service.call("GET", path, undefined, { headers: { "x-request-id": "mine" } });
          return answer.headers.get("x-request-id");
        }),
      );
      for (const id of ids) expect(id, path).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{20,}$/);
      expect(new Set(ids).size).toBe(2);
    }
  });

  it("are returned to the client as its own", async () => {
    const { headers } = await service.call("GET", "/v1/models", undefined, {
      headers: { "x-client-request-id": "mine" },
    });
    expect(headers.get("x-client-request-id")).toBe("mine");
  });

  it("are echoed only where that is harmless", async () => {
    for (const id of ["x".repeat(129), "with space", "\u00e9"]) {
      const { headers } = await service.call("GET", "/v1/models", undefined, {
        headers: { "x-client-request-id": id },
      });
      expect(headers.get("x-client-request-id")).toBeNull();
    }
  });
});
