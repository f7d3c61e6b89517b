import { describe, expect, it } from "vitest";
import { pricesSteps, usedPrices, writePrice } from "./price-steps.ts";
import type { PriceVersion } from "./provider-queries.ts";

const version = (id: string, since: string, input: number): PriceVersion => ({
  version: id,
  since,
  pricing: { input_per_1k_tokens: input, output_per_1k_tokens: 0, cached_input_per_1k_tokens: null },
});
const VERSIONS = [version("2", "2026-03-02T00:00:00Z", 0.5), version("1", "2026-03-01T00:00:00Z", 0.2)];

describe("a price history", () => {
  it("goes in steps, the oldest first, up to now", () => {
    const { times, series } = pricesSteps(VERSIONS, ["input_per_1k_tokens"], Date.parse("2026-03-03T00:00:00Z"));
    expect(times.map((at) => new Date(at).toISOString())).toEqual([
      "2026-03-01T00:00:00.000Z",
      "2026-03-01T23:59:59.999Z",
      "2026-03-02T00:00:00.000Z",
      "2026-03-03T00:00:00.000Z",
    ]);
    expect(series[0]?.values).toEqual([0.2, 0.2, 0.5, 0.5]);
  });

  it("shows the prices that were ever charged", () => {
    expect(usedPrices(VERSIONS)).toEqual(["input_per_1k_tokens"]);
    expect(usedPrices([version("1", "2026-03-01T00:00:00Z", 0)])).toHaveLength(2);
  });

  it("hides no decimal", () => {
    expect(writePrice(0.000000000123)).toBe("0.000000000123");
    expect(writePrice(0.00025)).toBe("$0.00025");
    expect(writePrice(0)).toBe("Free");
  });
});
