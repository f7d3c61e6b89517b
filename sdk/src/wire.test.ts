import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { wireTypesOf } from "../../scripts/wire-types.ts";
import { buildOpenApiDocument } from "../../server/src/http/openapi/openapi-document.ts";
import { ALL_ENDPOINTS } from "../../server/src/http/server/endpoint-registry.ts";
import { INFERENCE } from "./client.ts";

describe("the types of the wire", () => {
  it("are those of the table of operations: run `npm run sdk:types` after changing it", () => {
    const written = readFileSync(new URL("./wire.ts", import.meta.url), "utf8");
    expect(written).toBe(wireTypesOf(buildOpenApiDocument(ALL_ENDPOINTS)));
  });

  it("has every billed operation under /v1 among those that are sent with an idempotency key", () => {
    const billed = ALL_ENDPOINTS.filter(({ kind, path }) => kind === "inference" && path.startsWith("/v1/"));
    const names = billed.map(({ method, path }) => `${method} ${path}`);
    expect([...INFERENCE].toSorted()).toEqual([...names, "POST /openai/v1/chat/completions"].toSorted());
  });

  it("say what a schema says", () => {
    const answer = {
      type: "object",
      required: ["id", "tags"],
      properties: {
        id: { type: "string", description: "Its id." },
        tags: { type: "array", items: { enum: ["a", "b"] } },
        parent: { anyOf: [{ $ref: "#/components/schemas/Node" }, { type: "null" }] },
        counts: { type: "object", additionalProperties: { type: "integer" } },
        both: { allOf: [{ type: "string" }, { const: "x" }] },
        old: { type: "number", nullable: true },
        rows: { type: "array", items: { type: "object", properties: { n: { type: ["number", "null"] } } } },
        "odd-name": {},
      },
    };
    const text = wireTypesOf({
      paths: {
        "/v1/things/{id}": { get: { responses: { 200: { content: { json: { schema: answer } } } } } },
      },
      components: { schemas: { Node: { type: "object" } } },
    });
    for (const line of [
      "export type Node = Record<string, unknown>;",
      "/** Its id. */",
      "id: string;",
      'tags: readonly ("a" | "b")[];',
      "parent?: Node | null | undefined;",
      "counts?: Record<string, number> | undefined;",
      'both?: (string) & ("x") | undefined;',
      "old?: number | null | undefined;",
      "n?: number | null | undefined;",
      '"odd-name"?: unknown | undefined;',
      '"GET /v1/things/{id}": {',
    ])
      expect(text).toContain(line);
  });
});
