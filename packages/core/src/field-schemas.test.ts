import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  creditsSchema,
  faultFromSchemaError,
  formatIssuePath,
  isoDateSchema,
  lineSchema,
  storableText,
  toNanoCredits,
} from "./field-schemas.ts";

describe("amounts", () => {
  describe("creditsSchema", () => {
    it.each([0, 1, 0.1, 1e-9, 999_999.999_999_999, 1_000_000])("accepts %d", (value) => {
      expect(creditsSchema(0, 1_000_000).safeParse(value).success).toBe(true);
    });

    it.each([-1, 1_000_001, 1e-10, 0.000_000_000_5, Number.NaN, Number.POSITIVE_INFINITY, "1", null])(
      "refuses %s",
      (value) => {
        expect(creditsSchema(0, 1_000_000).safeParse(value).success).toBe(false);
      },
    );

    it("is exact", () => {
      expect(toNanoCredits(0.1)).toBe(100_000_000n);
      expect(toNanoCredits(1e-9)).toBe(1n);
      expect(() => toNanoCredits(1e-10)).toThrow("9 decimals");
    });
  });
});

describe("a text that is stored", () => {
  it.each([
    ["plain words 😀", true],
    ["a\0b", false],
    ["\udc00\ud800", false],
  ])("%j: %s", (text, isStorable) => {
    expect(storableText(z.string()).safeParse(text).success).toBe(isStorable);
  });
});

describe("a name", () => {
  it.each([
    ["Müller & Söhne 😀", true],
    ["  trimmed  ", true],
    ["", false],
    ["   ", false],
    ["two\nlines", false],
    ["two\r\nlines", false],
    ["a\ttab", false],
    ["a\u001b[31mcolour", false],
    ["a\u0085next line", false],
    ["a\u2028line separator", false],
    ["a\u2029paragraph separator", false],
    ["a\0b", false],
    ["\udc00", false],
    ["x".repeat(129), false],
  ])("%j: %s", (text, isName) => {
    expect(lineSchema().safeParse(text).success).toBe(isName);
  });

  it("may have another length", () => {
    expect(lineSchema(512).safeParse("x".repeat(512)).success).toBe(true);
  });

  it("is refused in words", () => {
    const { error } = z.object({ name: lineSchema() }).safeParse({ name: "two\nlines" });
    expect(error === undefined ? "" : faultFromSchemaError(error).message).toBe(
      "`name`: must not hold line breaks or control characters.",
    );
  });
});

describe("a value of another type", () => {
  it.each([
    [z.coerce.number(), "soon", "must be a number."],
    [z.coerce.number().int(), "1.5", "must be a whole number."],
    [z.number(), "7", "must be a number."],
    [z.int(), 1.5, "must be a whole number."],
    [z.number(), Number.POSITIVE_INFINITY, "must be a number."],
    [z.string(), 7, "must be a string."],
    [z.boolean(), "yes", "must be true or false."],
    [z.array(z.string()), "one", "must be an array."],
    [z.object({}), null, "must be an object."],
    [z.record(z.string(), z.string()), 7, "must be an object."],
    [z.number(), undefined, "is required."],
  ])("is refused in plain words: %#", (schema, value, message) => {
    const { error } = z.object({ field: schema }).safeParse({ field: value }, { reportInput: true });
    expect(error === undefined ? "" : faultFromSchemaError(error).message).toBe(`\`field\`: ${message}`);
  });
});

describe("a value that has none of the forms that it may have", () => {
  it("is told all of them", () => {
    const schema = z.object({ rule: z.union([z.enum(["allow", "refuse"]), z.object({ refuse_at: z.number() })]) });
    const parsed = schema.safeParse({ rule: "block" });
    expect(parsed.error === undefined ? "" : faultFromSchemaError(parsed.error).message).toBe(
      "`rule`: must be one of: allow, refuse, or must be of type object.",
    );
  });
});

describe("dates", () => {
  describe("isoDateSchema", () => {
    it.each(["2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31"])("accepts %s", (text) => {
      expect(isoDateSchema.safeParse(text).success).toBe(true);
    });

    it.each([
      "",
      "2026-02-29",
      "2026-13-01",
      "2026-1-1",
      "0000-01-01",
      "2026-01-31T00:00:00Z",
      "+12026-01-31",
      20_260_131,
    ])("refuses %j", (text) => {
      expect(isoDateSchema.safeParse(text).success).toBe(false);
    });
  });
});

describe("schema errors", () => {
  const schema = z.object({
    name: z.string().min(1),
    count: z.int().min(1).max(10).optional(),
    kind: z.enum(["a", "b"]).optional(),
    budget: z.object({ limit: z.number() }).optional(),
    list: z.array(z.object({ id: z.string().refine((id) => id !== "x", "must not be x") })).optional(),
  });

  /** The fault for a body; a valid body fails the test. */
  function refusalOf(body: unknown) {
    const parsed = schema.safeParse(body, { reportInput: true });
    if (parsed.success) throw new Error("This was taken.");
    return faultFromSchemaError(parsed.error);
  }

  describe("faultFromSchemaError", () => {
    it.each<[string, unknown, string, RegExp]>([
      ["is missing", {}, "name", /`name`.*required/],
      ["is missing inside", { name: "n", budget: {} }, "budget.limit", /`budget\.limit`.*required/],
      ["has the wrong type", { name: 5 }, "name", /`name`.*string/],
      ["has the wrong type inside", { name: "n", budget: { limit: "5" } }, "budget.limit", /`budget\.limit`.*number/],
      ["is null where it can't be", { name: null }, "name", /`name`.*string/],
      ["is a fraction", { name: "n", count: 1.5 }, "count", /`count`.*whole number/],
      ["is too large", { name: "n", count: 11 }, "count", /`count`.*10/],
      ["is no choice", { name: "n", kind: "c" }, "kind", /`kind`.*one of: a, b/],
      [
        "is in a list",
        { name: "n", list: [{ id: "ok" }, { id: "x" }] },
        "list[1].id",
        /`list\[1\]\.id`.*must not be x/,
      ],
    ])("names the field and the problem where something %s", (_what, body, param, words) => {
      expect(refusalOf(body)).toMatchObject({
        type: "invalid_request",
        status: 400,
        details: { param },
        message: expect.stringMatching(words),
      });
    });

    it("does not call a field missing that is present", () => {
      for (const body of [{ name: 5 }, { name: null }, { name: "n", count: "1" }, { name: "n", list: {} }]) {
        expect(refusalOf(body).message).not.toContain("is required");
      }
    });

    it.each([[[]], ["text"], [5], [null]])("refuses a body that is no object: %j", (body) => {
      const fault = refusalOf(body);
      expect(fault.message).toBe("The body must be a JSON object.");
      expect(fault.details.param).toBeUndefined();
    });

    it("ends its message in one full stop", () => {
      for (const body of [{}, { name: 5 }, { name: "n", kind: "c" }, { name: "n", list: [{ id: "x" }] }]) {
        expect(refusalOf(body).message).toMatch(/[^.]\.$/);
      }
    });
  });

  describe("formatIssuePath", () => {
    it("writes a path as in code", () => {
      expect(formatIssuePath([])).toBe("");
      expect(formatIssuePath(["a"])).toBe("a");
      expect(formatIssuePath(["a", 0, "b", "c", 12])).toBe("a[0].b.c[12]");
    });
  });
});
