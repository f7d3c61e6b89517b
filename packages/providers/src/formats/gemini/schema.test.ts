import { describe, expect, it } from "vitest";
import { toGeminiSchema } from "./schema.ts";

describe("toGeminiSchema", () => {
  it.each([
    [
      { type: "string", minLength: 1, $comment: "x", default: "a" },
      { type: "string", minLength: 1 },
    ],
    [{ type: ["string", "null"] }, { type: "string", nullable: true }],
    [{ const: "a" }, { enum: ["a"] }],
    [
      { type: "string", enum: ["a", 1, null] },
      { type: "string", enum: ["a"] },
    ],
    [
      { type: "array", items: { type: "number", exclusiveMinimum: 0 } },
      { type: "array", items: { type: "number" } },
    ],
    [
      { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
      { anyOf: [{ type: "string" }, { type: "integer" }], nullable: true },
    ],
    [{ oneOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
    [
      {
        type: "object",
        required: ["a"],
        additionalProperties: false,
        properties: {
          a: { $ref: "#/$defs/a" },
          b: { $ref: "#/nowhere" },
          c: { $ref: "https://example.com/" },
        },
        $defs: { a: { type: "boolean" } },
      },
      { type: "object", required: ["a"], properties: { a: { type: "boolean" }, b: {}, c: {} } },
    ],
    ["string", {}],
    [undefined, {}],
  ])("keeps the supported part of %j", (schema, cleaned) => {
    expect(toGeminiSchema(schema)).toEqual(cleaned);
  });

  it("does not follow circular references for ever", () => {
    const schema = {
      $ref: "#/$defs/a",
      $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } },
    };
    expect(JSON.stringify(toGeminiSchema(schema)).length).toBeLessThan(2_000);
    const twice = { $ref: "#/$defs/a" };
    const bomb = { ...twice, $defs: { a: { type: "object", properties: { a: twice, b: twice } } } };
    expect(JSON.stringify(toGeminiSchema(bomb)).length).toBeLessThan(200_000);
    expect(toGeminiSchema({ $ref: "#" })).toEqual({});
    expect(toGeminiSchema({ $ref: "#/$ref" })).toEqual({});
  });
});
