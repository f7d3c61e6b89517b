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

  it("has every operation, each with a unique id", () => {
    expect(operations).toHaveLength(ALL_ENDPOINTS.length);
    const names = operations.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/);
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
