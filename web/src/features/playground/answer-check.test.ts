import { describe, expect, it } from "vitest";
import { checkOf, findCheckMistakes, readCheck } from "./answer-check.ts";

describe("the check of a cascade", () => {
  it("is sent as far as it was filled in", () => {
    expect(checkOf({})).toBeUndefined();
    expect(checkOf({ minLength: 300 })).toEqual({ min_length: 300 });
    expect(checkOf({ regex: "^Yes", jsonSchema: '{"type":"object"}' })).toEqual({
      regex: "^Yes",
      json_schema: { type: "object" },
    });
  });

  it("is held against what can be sent", () => {
    expect(findCheckMistakes({ minLength: 1, regex: "a", jsonSchema: "{}" })).toEqual({});
    expect(Object.keys(findCheckMistakes({ minLength: 0.5, regex: "a".repeat(513), jsonSchema: "[1" }))).toEqual([
      "minLength",
      "regex",
      "jsonSchema",
    ]);
    expect(findCheckMistakes({ jsonSchema: "[]" }).jsonSchema).toMatch(/JSON object/);
  });

  it("survives what stands in storage", () => {
    const draft = { minLength: 3, regex: "x", jsonSchema: "{" };
    expect(readCheck(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
    expect(readCheck({ minLength: "3", regex: 4 })).toEqual({});
    expect(readCheck(null)).toEqual({});
  });
});
