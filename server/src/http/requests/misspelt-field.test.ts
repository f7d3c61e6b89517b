import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { refuseMisspeltNames } from "./misspelt-field.ts";

const KNOWN = new Set([
  "speed",
  "cost",
  "quality",
  "max_cost",
  "max_latency_ms",
  "min_quality",
  "hedge",
  "data_regions",
  "data_retention_days",
]);
const refuse = (fields: Record<string, unknown>) => refuseMisspeltNames(fields, KNOWN, "preferences");

describe("refuseMisspeltNames", () => {
  it.each([
    ["max_costs", "max_cost"],
    ["maxCost", "max_cost"],
    ["maxcost", "max_cost"],
    ["Max-Cost", "max_cost"],
    ["max_cst", "max_cost"],
    ["cost_max", "max_cost"],
    ["max_cost_usd", "max_cost"],
    ["min_qualty", "min_quality"],
    ["minimum_quality", "min_quality"],
    ["max_latency", "max_latency_ms"],
    ["maxLatencyMs", "max_latency_ms"],
    ["latency_ms_max", "max_latency_ms"],
    ["data_region", "data_regions"],
    ["data_retention", "data_retention_days"],
    ["costs", "cost"],
    ["Speed", "speed"],
    ["spede", undefined],
    ["qualiti", "quality"],
    ["host", undefined],
    ["post", undefined],
    ["provider", undefined],
    ["max_price", undefined],
    ["temperature", undefined],
    ["__proto__x", undefined],
    ["max_cost".padEnd(60, "x"), undefined],
  ])("takes %j for %j", (name, meant) => {
    if (meant === undefined) {
      expect(() => refuse({ [name]: 1 })).not.toThrow();
      return;
    }
    expect(faultOf(() => refuse({ [name]: 1 }))).toMatchObject({
      type: "invalid_request",
      details: { param: `preferences.${name}` },
      message: `\`preferences\` has no field \`${name}\`. Did you mean \`${meant}\`?`,
    });
  });

  it("lets known names pass, and unknown ones without a value", () => {
    expect(() => refuse({ max_cost: 1, speed: "fast", max_costs: null, maxCost: undefined })).not.toThrow();
  });

  it("looks at a bounded number of names", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`name${at}xxxxxxxx`, at]));
    expect(() => refuse({ ...many, max_costs: 1 })).not.toThrow();
  });
});
