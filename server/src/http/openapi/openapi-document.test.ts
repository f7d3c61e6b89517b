import { Validator } from "@seriousme/openapi-schema-validator";
import { SCOPES } from "@trunkline/core/caller.ts";
import { FAULT_STATUS } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../server/endpoint-registry.ts";
import { buildOpenApiDocument, openApiPathOf, PUBLIC_PATHS } from "./openapi-document.ts";

interface Operation {
  readonly operationId: string;
  readonly "x-scope"?: string;
  readonly security?: readonly unknown[];
  readonly "x-billed": boolean;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const VERBS = [
  ...[
    "get",
    "list",
    "create",
    "set",
    "update",
    "delete",
    "clear",
    "batch",
    "embed",
    "generate",
    "stream",
    "send",
    "call",
    "count",
  ],
  ...["check", "preview", "validate", "test", "report", "rotate", "cancel", "resend", "approve", "suspend", "redeem"],
  ...["link", "unlink", "credit", "rescan", "export", "erase", "exchange", "import", "grant", "decline", "move"],
  ...["log", "sign", "confirm", "verify", "begin", "reset", "request", "accept", "switch"],
];

const document = buildOpenApiDocument(ALL_ENDPOINTS);
const operations = Object.entries(document.paths)
  .filter(([path]) => !(path in PUBLIC_PATHS))
  .flatMap(([path, methods]) => Object.values(methods).map((operation) => [path, operation as Operation] as const));

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toBe("3.1.0");
  });

  it("has every operation", () => {
    expect(operations).toHaveLength(ALL_ENDPOINTS.length);
  });

  it("names each operation by a verb of a short list and what it is about, and no two alike", () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => (operation as Operation).operationId),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const id of ids) {
      expect(id).toMatch(/^[a-z][A-Za-z]+$/);
      expect(VERBS, id).toContain(/^(?:[a-z]+(?=[A-Z])|[a-z]+$)/.exec(id)?.[0]);
    }
  });

  it("names the operations as their users would", () => {
    const idOf = (method: string, path: string) =>
      (document.paths[path]?.[method.toLowerCase()] as Operation | undefined)?.operationId;
    for (const [method, path, id] of [
      ["GET", "/v1/keys", "listKeys"],
      ["POST", "/v1/keys", "createKey"],
      ["GET", "/v1/keys/{id}", "getKey"],
      ["POST", "/v1/keys/{id}/rotate", "rotateKey"],
      ["GET", "/v1/requests/{id}", "getRequest"],
      ["GET", "/v1/models", "listModels"],
      ["GET", "/openai/v1/models", "listOpenAIModels"],
      ["GET", "/v1/usage/breakdown", "getUsageBreakdown"],
      ["GET", "/v1/usage/series", "getUsageSeries"],
      ["PATCH", "/v1/settings", "updateSettings"],
      ["PUT", "/v1/routing", "setRouting"],
      ["POST", "/v1/batches/{id}/cancel", "cancelBatch"],
      ["POST", "/openai/v1/chat/completions", "createChatCompletion"],
      ["POST", "/anthropic/v1/messages", "createMessage"],
      ["GET", "/gemini/v1beta/models", "listGeminiModels"],
      ["POST", "/gemini/v1beta/models/{name}:streamGenerateContent", "streamGeminiContent"],
    ] as const)
      expect(idOf(method, path), `${method} ${path}`).toBe(id);
  });

  it("has the operations of the specification", () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        "/v1/ai/request",
        "/v1/models",
        "/v1/usage",
        "/v1/routing",
        "/v1/generate",
        "/v1/stream",
        "/v1/image",
        "/healthz",
      ]),
    );
  });

  it("declares exactly the parameters of each path", () => {
    for (const [path, { parameters }] of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(named);
      expect(path).not.toMatch(/\/:|\*/);
    }
  });

  it("names the scope of each operation, and marks only inference as billed", () => {
    for (const [path, operation] of operations) {
      if (operation["x-scope"] === undefined) expect(operation.security, path).toBeDefined();
      else expect(SCOPES, path).toContain(operation["x-scope"]);
      expect(operation["x-billed"]).toBe(
        ALL_ENDPOINTS.some((endpoint) => openApiPathOf(endpoint.path) === path && endpoint.kind === "inference"),
      );
    }
  });

  it("lists each fault under its status, with the common faults on every operation", () => {
    for (const [path, { responses }] of operations) {
      for (const type of [
        "missing_api_key",
        "invalid_api_key",
        "insufficient_scope",
        "rate_limited",
        "internal",
        "unavailable",
      ] as const) {
        expect(responses[FAULT_STATUS[type]]?.description, `${path} ${type}`).toContain(type);
      }
      for (const [status, { description }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        for (const type of description.split(", "))
          expect(FAULT_STATUS[type as keyof typeof FAULT_STATUS]).toBe(Number(status));
      }
    }
  });

  it("needs no key on public paths", () => {
    for (const path of Object.keys(PUBLIC_PATHS)) {
      expect(document.paths[path]).toMatchObject({ get: { security: [] } });
      expect(path).not.toMatch(/^\/v1/);
    }
  });
});

describe("readiness", () => {
  it("documents a 503 with Retry-After", () => {
    expect(document.paths["/readyz"]).toMatchObject({
      get: { responses: { 200: {}, 503: { headers: { "Retry-After": {} } } } },
    });
    expect(document.paths["/healthz"]).not.toHaveProperty("get.responses.503");
  });
});

describe("openApiPathOf", () => {
  it.each([
    ["/v1/models", "/v1/models"],
    ["/v1/keys/:id", "/v1/keys/{id}"],
    ["/v1/keys/:id/rotate", "/v1/keys/{id}/rotate"],
    ["/v1/models/*", "/v1/models/{name}"],
    ["/gemini/v1/models/*:generateContent", "/gemini/v1/models/{name}:generateContent"],
  ])("writes %s as %s", (path, wire) => {
    expect(openApiPathOf(path)).toBe(wire);
  });
});
