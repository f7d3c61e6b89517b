import { afterEach, describe, expect, it, vi } from "vitest";
import { InvalidSchema, parseSchema } from "./parse-schema.ts";

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
    [{ $ref: "#/allOf/00", allOf: [true] }, "may refer to its own parts alone"],
    [{ $ref: "#/allOf", allOf: [true] }, "may refer to its own parts alone"],
    [{ $ref: "#/properties/~2", properties: { "~2": true } }, "may refer to its own parts alone"],
    [nested(65), "nested deeper than 64 levels"],
    [{ allOf: Array.from({ length: 33 }, (_, at) => ({ pattern: `a${at}` })) }, "too many patterns"],
    [{ allOf: [1, 2, 3].map((at) => ({ pattern: `${at}{900}` })) }, "too large ones"],
  ])("is refused with what is wrong with it: %j", (schema, why) => {
    expect(() => parseSchema(schema)).toThrow(InvalidSchema);
    expect(() => parseSchema(schema)).toThrow(why);
  });

  it.each<[string, unknown, string]>([
    ["a field", { properties: { ["k".repeat(1_001)]: {} } }, "a name of more than 1,000 characters"],
    ["a required field", { required: ["k".repeat(1_001)] }, "is no valid names"],
    ["a text", { description: "a".repeat(65_536) }, "at most 65,536 bytes as JSON"],
    ["a list", { enum: Array(40_000).fill(1) }, "at most 65,536 bytes as JSON"],
    ["a depth", { const: JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) }, "deeper than 400 levels"],
  ])("is refused where it is too large: %s", (_what, schema, why) => {
    expect(() => parseSchema(schema)).toThrow(InvalidSchema);
    expect(() => parseSchema(schema)).toThrow(why);
  });

  it("may contain keywords that are no rules, and is left unchanged", () => {
    const schema = { title: "A", format: "email", "x-own": [1], $ref: "#/$defs/a", $defs: { a: true } };
    const copy = structuredClone(schema);
    parseSchema(schema);
    expect(schema).toEqual(copy);
    expect(() => parseSchema(nested(64))).not.toThrow();
  });
});

describe("parseSchema", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("keeps no map by whole paths, since long ones are slow to look up", () => {
    const deep = (levels: number): object =>
      levels === 0 ? { items: true } : { properties: { ["k".repeat(900)]: deep(levels - 1) } };
    const schema = deep(50);
    const set = vi.spyOn(Map.prototype, "set");
    parseSchema(schema);
    const keys = set.mock.calls.map(([key]) => String(key).length);
    set.mockRestore();
    expect(Math.max(0, ...keys)).toBeLessThanOrEqual(900);
  });

  it("parses each schema once", () => {
    const schema = { properties: { a: { $ref: "#" } } };
    expect(parseSchema(schema)).toBe(parseSchema(schema));
  });

  it("stops where a schema turns out to be too large", () => {
    let looked = 0;
    const schema = { enum: Array(100).fill("a".repeat(10_000)) };
    const written = vi.spyOn(JSON, "stringify").mockImplementation((text) => {
      looked++;
      return `"${text}"`;
    });
    expect(() => parseSchema(schema)).toThrow(InvalidSchema);
    written.mockRestore();
    expect(looked).toBeLessThan(10);
  });

  it("allows exactly the maximum number of bytes, as JSON", () => {
    const filled = (fill: number) => ({
      enum: [1, "é\n", null, [], {}, [true, 2]],
      const: { a: {}, b: 0.5 },
      description: "a".repeat(fill),
    });
    const fill = 65_536 - Buffer.byteLength(JSON.stringify(filled(0)));
    expect(() => parseSchema(filled(fill))).not.toThrow();
    expect(() => parseSchema(filled(fill + 1))).toThrow(InvalidSchema);
  });
});
