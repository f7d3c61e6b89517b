import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptUsage } from "./accept-usage.ts";

const reported = (inputTokens: unknown, outputTokens: unknown) =>
  ({ type: "usage", inputTokens, outputTokens }) as const;
const OWN = { inputTokens: 100, outputTokens: 200 };

describe("a provider's count", () => {
  it.each([
    ["the same as ours", 100, 200],
    ["a bit more", 150, 260],
    ["a bit less", 60, 120],
    ["zero where ours is within the slack", 0, 0],
    ["at the upper edge", 100 * 5 + 256, 200 * 5 + 256],
  ])("is believed when it is %s", (_what, input, output) => {
    expect(acceptUsage(reported(input, output), OWN, undefined)).toEqual({
      inputTokens: input,
      outputTokens: output,
      source: "provider",
    });
  });

  it.each([
    ["missing", undefined, undefined],
    ["half missing", 100, undefined],
    ["null", null, null],
    ["a text", "100", "200"],
    ["negative", -1, 200],
    ["a fraction", 100.5, 200],
    ["not a number", Number.NaN, 200],
    ["infinite", 100, Number.POSITIVE_INFINITY],
    ["beyond whole numbers", 100, 2 ** 53],
    ["a list", [100], [200]],
    ["far too much input", 100 * 5 + 257, 200],
    ["far too much output", 100, 200 * 5 + 257],
  ])("is not believed when it is %s", (_what, input, output) => {
    expect(acceptUsage(reported(input, output), OWN, undefined)).toEqual({ ...OWN, source: "own" });
  });

  it("is not believed when it is far too little", () => {
    const own = { inputTokens: 10_000, outputTokens: 10_000 };
    expect(acceptUsage(reported(10, 10_000), own, undefined)).toEqual({ ...own, source: "own" });
    expect(acceptUsage(reported(10_000, 10), own, undefined)).toEqual({ ...own, source: "own" });
  });

  it("is not believed above what the provider was told not to exceed", () => {
    expect(acceptUsage(reported(100, 210), OWN, 205)).toEqual({ ...OWN, source: "own" });
    expect(acceptUsage(reported(100, 205), OWN, 205)).toMatchObject({
      outputTokens: 205,
      source: "provider",
    });
  });

  it("is replaced by ours where there is none", () => {
    expect(acceptUsage(undefined, OWN, undefined)).toEqual({ ...OWN, source: "own" });
  });
});

describe("what is paid for", () => {
  it("is whole, never negative, never above the request's limit, and near our own count, whatever is reported", () => {
    const anything = fc.oneof(fc.integer({ min: -10, max: 100_000 }), fc.anything(), fc.double());
    const own = fc.record({ inputTokens: fc.nat(50_000), outputTokens: fc.nat(50_000) });
    const limit = fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined });
    fc.assert(
      fc.property(anything, anything, own, limit, (input, output, counted, maxOutputTokens) => {
        const accepted = acceptUsage(reported(input, output), counted, maxOutputTokens);
        for (const tokens of [accepted.inputTokens, accepted.outputTokens]) {
          expect(Number.isSafeInteger(tokens)).toBe(true);
          expect(tokens).toBeGreaterThanOrEqual(0);
        }
        expect(accepted.outputTokens).toBeLessThanOrEqual(maxOutputTokens ?? Number.POSITIVE_INFINITY);
        expect(accepted.inputTokens).toBeLessThanOrEqual(counted.inputTokens * 5 + 256);
        expect(accepted.outputTokens).toBeLessThanOrEqual(counted.outputTokens * 5 + 256);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is not what was sent beyond the limit", () => {
    expect(acceptUsage(undefined, { inputTokens: 5, outputTokens: 900 }, 100)).toEqual({
      inputTokens: 5,
      outputTokens: 100,
      source: "own",
    });
  });
});
