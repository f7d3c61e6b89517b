import { describe, expect, it } from "vitest";
import { BadSchema, readSchema } from "./read-schema.ts";

const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) });

describe("a schema", () => {
  it.each<[unknown, string]>([
    [1, "must be a schema"],
    [{ properties: { a: 1 } }, 'must be a schema at "#/properties/a"'],
    [{ properties: [] }, "an object of schemas"],
    [{ anyOf: [] }, "must be a list of schemas"],
    [{ type: "text" }, 'is no valid types at "#/type"'],
    [{ type: ["string", "string"] }, "is no valid types"],
    [{ minLength: -1 }, 'is no valid count at "#/minLength"'],
    [{ multipleOf: 0 }, "above zero"],
    [{ required: "a" }, "is no valid names"],
    [{ enum: "a" }, "is no valid values"],
    [{ pattern: "(?=a)" }, "has a pattern that can't be read"],
    [{ patternProperties: { "[": true } }, "has a pattern that can't be read"],
    [{ $ref: "https://example.test/schema.json" }, "may refer to its own parts alone"],
    [{ $ref: "other.json#/a" }, "may refer to its own parts alone"],
    [{ $ref: "#/$defs/missing" }, "may refer to its own parts alone"],
    [{ $ref: "#/enum/0", enum: [{}] }, "may refer to its own parts alone"],
    [{ $ref: "#/%" }, "may refer to its own parts alone"],
    [{ unevaluatedProperties: false }, "is not supported"],
    [{ $dynamicRef: "#a" }, "is not supported"],
    [nested(65), "nested deeper than 64 levels"],
    [{ allOf: Array.from({ length: 33 }, (_, at) => ({ pattern: `a${at}` })) }, "too many patterns"],
    [{ allOf: [1, 2, 3].map((at) => ({ pattern: `${at}{900}` })) }, "too large ones"],
  ])("is refused with what is wrong with it: %j", (schema, why) => {
    expect(() => readSchema(schema)).toThrow(BadSchema);
    expect(() => readSchema(schema)).toThrow(why);
  });

  it("may say what is no rule, and is left as it was", () => {
    const schema = { title: "A", format: "email", "x-own": [1], $ref: "#/$defs/a", $defs: { a: true } };
    const copy = structuredClone(schema);
    readSchema(schema);
    expect(schema).toEqual(copy);
    expect(() => readSchema(nested(64))).not.toThrow();
  });
});
