import { Fault } from "@trunkline/core/fault.ts";
import { describe, expect, it } from "vitest";
import { readRoutingOptions } from "./read-wishes.ts";

const read = (check: unknown, route: unknown = "cascade") => readRoutingOptions({ route, check });

describe("a cascade", () => {
  it("is read with its check, and goes by cost", () => {
    const schema = { type: "object" };
    expect(read({ json_schema: schema, regex: "^a", min_length: 3, non_empty: true })).toMatchObject({
      strategy: "cost-optimized",
      cascade: { schema, pattern: "^a", minLength: 3 },
    });
  });

  it("needs no check of its own, as an empty answer fails in any case", () => {
    for (const check of [undefined, null, {}, { non_empty: false }]) expect(read(check).cascade).toEqual({});
    expect(readRoutingOptions({ route: "cost" })).not.toHaveProperty("cascade");
  });

  it.each<[unknown, string]>([
    ["json", "check"],
    [{ json: {} }, "check.json"],
    [{ json_schema: "{}" }, "check.json_schema"],
    [{ json_schema: [] }, "check.json_schema"],
    [{ json_schema: { type: "text" } }, "check.json_schema"],
    [{ json_schema: { $ref: "https://example.test/a.json" } }, "check.json_schema"],
    [{ json_schema: { description: "a".repeat(65_536) } }, "check.json_schema"],
    [{ json_schema: { pattern: "(a+)+(?=b)" } }, "check.json_schema"],
    [{ regex: "" }, "check.regex"],
    [{ regex: "[" }, "check.regex"],
    [{ regex: "(?<=a)b" }, "check.regex"],
    [{ regex: 1 }, "check.regex"],
    [{ min_length: 0 }, "check.min_length"],
    [{ min_length: 1_000_001 }, "check.min_length"],
    [{ min_length: 1.5 }, "check.min_length"],
    [{ non_empty: "yes" }, "check.non_empty"],
  ])("is refused by the first field that is wrong: %j", (check, param) => {
    expect(faultOf(() => read(check))).toMatchObject({ type: "invalid_request", details: { param } });
  });

  it("is what a check is for, and nothing else", () => {
    for (const route of [undefined, "auto", "cost", "hybrid"])
      expect(faultOf(() => readRoutingOptions({ route, check: { min_length: 1 } }))).toMatchObject({
        details: { param: "check" },
      });
  });

  it("is refused where the answer is not made of words", () => {
    expect(faultOf(() => readRoutingOptions({ route: "cascade" }, false))).toMatchObject({
      details: { param: "route" },
    });
  });
});

function faultOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return undefined;
}
