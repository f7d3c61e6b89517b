import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseSchema } from "./parse-schema.ts";
import { ANSWER_WORK_BUDGET, validateJson, WorkBudget, WorkBudgetExceeded } from "./validate.ts";

/** An object literal with this field would be taken for a promise. */
const CONSEQUENCE = "then";
const judge = (schema: unknown, value: unknown) =>
  validateJson(parseSchema(schema), value, new WorkBudget(ANSWER_WORK_BUDGET));

describe("a value that violates its schema", () => {
  it.each([
    [{ type: "string" }, 1, "it must be a string"],
    [{ type: ["string", "null"] }, 1, "it must be a string or null"],
    [{ type: "integer" }, 1.5, "it must be a whole number"],
    [{ required: ["name"] }, {}, 'it lacks "name"'],
    [{ properties: { a: { items: { type: "number" } } } }, { a: [1, "2"] }, '"/a/1" must be a number'],
    [{ additionalProperties: false, properties: { a: true } }, { a: 1, b: 2 }, '"/b" must not be there'],
    [{ enum: ["a", { b: 1 }] }, "c", "it is none of the values asked for"],
    [{ const: { a: [1] } }, { a: [2] }, "it is not the one value asked for"],
    [{ minLength: 3 }, "😀😀", "it must have at least 3 characters"],
    [{ pattern: "^\\d+$" }, "12a", "it does not match its pattern"],
    [{ patternProperties: { "^x-": { type: "number" } } }, { "x-a": "1" }, '"/x-a" must be a number'],
    [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, '"/abc" must have at most 2 characters'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      "it has an item twice",
    ],
    [{ multipleOf: 0.1 }, 0.35, "it must be a multiple of 0.1"],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, "it fits 2 of `oneOf`"],
    [{ anyOf: [{ type: "null" }] }, 3, "it fits none of `anyOf`"],
    [{ not: { type: "number" } }, 3, "it is what it must not be"],
    [JSON.parse('{"if":{"minimum":5},"then":{"multipleOf":5}}'), 7, "it must be a multiple of 5"],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, 'it lacks "b"'],
    [{ contains: { const: 1 }, minContains: 2 }, [1, 2], "it has 1 of the items that it must contain"],
    [{ $ref: "#/$defs/a%25b~1", $defs: { "a%b/": { type: "null" } } }, 1, "it must be null"],
  ])("is described by its first violation: %j", (schema, value, reason) => {
    expect(judge(schema, value)).toBe(reason);
  });

  it("is found within a schema that refers to itself", () => {
    const tree = { type: "object", required: ["value"], properties: { next: { $ref: "#" } } };
    expect(judge(tree, { value: 1, next: { value: 2, next: {} } })).toBe('"/next/next" lacks "value"');
    expect(judge(tree, { value: 1, next: { value: 2 } })).toBeUndefined();
  });

  it("is not hidden by fields that every object inherits", () => {
    expect(judge({ required: ["toString"] }, {})).toBe('it lacks "toString"');
    expect(judge({ properties: { constructor: { type: "null" } } }, {})).toBeUndefined();
    expect(judge(JSON.parse('{"properties":{"__proto__":{"type":"null"}}}'), JSON.parse('{"__proto__":1}'))).toBe(
      '"/__proto__" must be null',
    );
  });
});

describe("with hostile input", () => {
  const doubled = (step: (next: object) => object) => {
    const $defs: Record<string, object> = { d0: { type: "null" } };
    for (let level = 1; level <= 60; level++) $defs[`d${level}`] = step({ $ref: `#/$defs/d${level - 1}` });
    return { $ref: "#/$defs/d60", $defs };
  };
  const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}1${"]".repeat(levels)}`);
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { x: nested(levels - 1) });

  it.each<[string, unknown, unknown]>([
    ["a reference to itself", { $ref: "#" }, 1],
    ["parts that double at each level", doubled((next) => ({ anyOf: [next, next] })), 1],
    [
      "parts that double with each level of the answer",
      { allOf: Array(3).fill({ properties: { x: { $ref: "#" } } }) },
      nested(60),
    ],
    ["a long text under many schemas", { anyOf: Array(2_000).fill({ minLength: 1e9 }) }, "a".repeat(1_000_000)],
    [
      "a long list under many schemas",
      { anyOf: Array(2_000).fill({ contains: { minItems: 1 } }) },
      Array(300_000).fill(1),
    ],
    [
      "many fields under many schemas",
      { anyOf: Array(2_000).fill({ minProperties: 1e9 }) },
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1])),
    ],
    [
      "a text that matches none of many patterns",
      { anyOf: Array(500).fill({ pattern: "^[ab]*a[ab]{90}[cd]$" }) },
      "ab".repeat(50_000),
    ],
    ["a deep answer", { items: { $ref: "#" } }, deep(5_000)],
    ["deep items that are compared", { uniqueItems: true }, deep(5_000)],
  ])("the work is bounded: %s", (_what, schema, value) => {
    expect(() => judge(schema, value)).toThrow(WorkBudgetExceeded);
  });
});

describe("the work of a check", () => {
  afterEach(() => void vi.restoreAllMocks());

  class Counted extends WorkBudget {
    spent = 0;

    override spend(amount: number): void {
      this.spent += amount;
      super.spend(amount);
    }
  }
  const spentOn = (schema: unknown, value: unknown) => {
    const effort = new Counted(Infinity);
    validateJson(parseSchema(schema), value, effort);
    return effort.spent;
  };
  const named = (length: number) => ({ ["k".repeat(length)]: 1 });

  it("counts names by their length, as it does strings", () => {
    const difference = (make: (length: number) => unknown) =>
      spentOn({ uniqueItems: true }, [make(80_000)]) - spentOn({ uniqueItems: true }, [make(0)]);
    expect(difference(named)).toBe(10_000);
    expect(difference((length) => "k".repeat(length))).toBe(10_000);
  });

  it("does not serialise values that are only compared", () => {
    const written = vi.spyOn(JSON, "stringify");
    const schema = parseSchema({ enum: Array(500).fill({}) });
    written.mockClear();
    expect(validateJson(schema, named(5_000), new WorkBudget(ANSWER_WORK_BUDGET))).toBe(
      "it is none of the values asked for",
    );
    expect(written).not.toHaveBeenCalled();
  });

  it("counts the fields of a value each time they are compared", () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 1]));
    expect(spentOn({ enum: Array(100).fill({}) }, fields)).toBeGreaterThan(100_000);
  });

  it("does not cut a long path for every value that is tried under it", () => {
    const cut = vi.spyOn(String.prototype, "slice");
    const schema = parseSchema({ additionalProperties: { contains: { anyOf: [{ type: "null" }] } } });
    cut.mockClear();
    validateJson(schema, { ["k".repeat(20_000)]: Array(50).fill(1) }, new WorkBudget(ANSWER_WORK_BUDGET));
    const longOnes = cut.mock.contexts.filter((text) => String(text).length > 1_000);
    expect(longOnes.length).toBeLessThanOrEqual(1);
  });

  it("includes only the beginning of a long name", () => {
    const name = "k".repeat(900);
    expect(judge({ required: [name] }, {})).toBe(`it lacks "${"k".repeat(120)}…"`);
    expect(judge({ properties: { [name]: false } }, { [name]: 1 })).toBe(`"/${"k".repeat(119)}…" must not be there`);
  });

  it("stops at the first of several schemas that fails", () => {
    let looked = 0;
    const schema = parseSchema({ allOf: [false, true] });
    const { root } = schema;
    const list = new Proxy(Array(1_000).fill(false), {
      get(target, name, receiver) {
        looked++;
        return Reflect.get(target, name, receiver);
      },
    });
    validateJson({ ...schema, root: { ...(typeof root === "object" ? root : {}), allOf: list } }, 1, new WorkBudget(9));
    expect(looked).toBeLessThan(10);
  });

  it("is small enough for a large answer and a usual schema", () => {
    const row = {
      type: "object",
      required: ["id", "name", "day"],
      additionalProperties: false,
      properties: {
        id: { type: "integer" },
        name: { type: "string", minLength: 1, maxLength: 200 },
        email: { type: "string", pattern: "^[^@]+@[^@]+$" },
        day: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
        tags: { type: "array", uniqueItems: true, items: { enum: ["new", "old", "odd"] } },
      },
    };
    const rows = Array.from({ length: 1_100 }, (_, id) => ({
      id,
      name: `Somebody ${id}`,
      email: `somebody-${id}@example.test`,
      day: "2026-02-03",
      tags: ["new", "odd"],
    }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(100_000);
    expect(judge({ type: "array", items: row }, rows)).toBeUndefined();
  });
});

const leaf = fc.constantFrom<object>(
  { type: "string" },
  { type: "number" },
  { type: ["integer", "null"] },
  { type: "object" },
  { type: "array" },
  { const: 1 },
  { enum: ["a", 2, { a: 1 }, null] },
  { minLength: 2 },
  { maxLength: 1 },
  { minimum: 1 },
  { exclusiveMaximum: 2 },
  { multipleOf: 2 },
  { required: ["a"] },
  { minProperties: 1 },
  { maxProperties: 1 },
  { minItems: 1 },
  { maxItems: 1 },
  { uniqueItems: true },
  { pattern: "^a" },
  { dependentRequired: { a: ["b"] } },
);
const schema = fc.letrec<{ node: object }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.tuple(leaf, tie("node")).map(([one, other]) => ({ ...one, ...other })),
    fc
      .array(tie("node"), { minLength: 1, maxLength: 3 })
      .chain((nodes) => fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems").map((name) => ({ [name]: nodes }))),
    tie("node").chain((node) =>
      fc
        .constantFrom("not", "items", "contains", "additionalProperties", "propertyNames", "$ref")
        .map((name) => (name === "$ref" ? { $ref: "#/$defs/leaf", ...node } : { [name]: node })),
    ),
    fc
      .tuple(tie("node"), tie("node"), tie("node"))
      .map(([one, two, three]) => ({ if: one, [CONSEQUENCE]: two, else: three })),
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => ({ properties: { a, b } })),
    tie("node").map((node) => ({ patternProperties: { "^a": node } })),
    tie("node").map((node) => ({ dependentSchemas: { a: node } })),
  ),
})).node;
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, 2, 1.5, "a", "ab", "", "ba"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "ab"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

describe("any schema and any value", () => {
  it("are validated as another JSON Schema library validates them", () => {
    fc.assert(
      fc.property(schema, leaf, value, (drawn, definition, instance) => {
        const whole = { ...drawn, $defs: { leaf: definition } };
        const other = new Validator(structuredClone(whole) as never, "2020-12").validate(instance);
        expect(judge(whole, instance) === undefined, JSON.stringify({ whole, instance })).toBe(other.valid);
      }),
      { numRuns: 800, seed: 11 },
    );
  });
});
