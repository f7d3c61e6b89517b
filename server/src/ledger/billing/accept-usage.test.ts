import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptUsage } from "./accept-usage.ts";

const reported = (
  inputTokens: unknown,
  outputTokens: unknown,
  cachedInputTokens?: unknown,
  cacheWriteTokens?: unknown,
) => ({ type: "usage", inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }) as const;
const OWN = { inputTokens: 100, outputTokens: 200 };
const OURS = { ...OWN, cachedInputTokens: 0, cacheWriteTokens: 0, source: "own" };

/** Nothing attached, nothing thought, no limit. */
const PLAIN = { maxOutputTokens: undefined, attachedTokens: 0, thinks: false };

describe("a provider's count", () => {
  it.each([
    ["the same as ours", 100, 200],
    ["a bit more", 150, 260],
    ["a bit less", 60, 120],
    ["zero where ours is within the slack", 0, 0],
    ["at the upper edge", 100 * 5 + 256, 200 * 5 + 256],
  ])("is believed when it is %s", (_what, input, output) => {
    expect(acceptUsage(reported(input, output), OWN, PLAIN)).toEqual({
      inputTokens: input,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: output,
      source: "provider",
    });
  });

  it("is believed however high it is where everybody knows the provider, and never too low", () => {
    const known = { ...PLAIN, maxOutputTokens: 1_000, believed: true };
    expect(acceptUsage(reported(900_000, 60_000), OWN, known)).toMatchObject({
      inputTokens: 900_000,
      outputTokens: 60_000,
      source: "provider",
    });
    const much = { inputTokens: 90_000, outputTokens: 900 };
    expect(acceptUsage(reported(0, 900), much, known)).toMatchObject({ ...much, source: "own" });
    expect(acceptUsage(reported(-1, 900), OWN, known)).toMatchObject({ source: "own" });
  });

  it.each([
    ["none", 0],
    ["some", 60],
    ["all", 100],
  ])("of input out of its cache is believed when it is %s", (_what, cached) => {
    expect(acceptUsage(reported(100, 200, cached), OWN, PLAIN)).toEqual({
      ...OWN,
      cachedInputTokens: cached,
      cacheWriteTokens: 0,
      source: "provider",
    });
  });

  it.each([
    ["more than the input", 101],
    ["negative", -1],
    ["a fraction", 0.5],
    ["a text", "60"],
    ["null", null],
    ["not a number", Number.NaN],
  ])("of input out of its cache counts for nothing when it is %s", (_what, cached) => {
    expect(acceptUsage(reported(100, 200, cached), OWN, PLAIN)).toEqual({
      ...OWN,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      source: "provider",
    });
  });

  it.each([
    ["none", 0, 0],
    ["some", 60, 60],
    ["all that did not come out of it", 70, 70],
    ["more than that", 71, 0],
    ["negative", -1, 0],
    ["a fraction", 0.5, 0],
    ["a text", "60", 0],
    ["null", null, 0],
  ])("of input into its cache is judged when it is %s", (_what, written, cacheWriteTokens) => {
    expect(acceptUsage(reported(100, 200, 30, written), OWN, PLAIN)).toEqual({
      ...OWN,
      cachedInputTokens: 30,
      cacheWriteTokens,
      source: "provider",
    });
  });

  it("of input out of its cache counts for nothing where the rest is not believed", () => {
    expect(acceptUsage(reported(100, 1_000_000, 60), OWN, PLAIN)).toEqual(OURS);
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
    expect(acceptUsage(reported(input, output), OWN, PLAIN)).toEqual(OURS);
  });

  it("is not believed when it is far too little", () => {
    const own = { inputTokens: 10_000, outputTokens: 10_000 };
    expect(acceptUsage(reported(10, 10_000), own, PLAIN)).toEqual({ ...OURS, ...own });
    expect(acceptUsage(reported(10_000, 10), own, PLAIN)).toEqual({ ...OURS, ...own });
  });

  it("is not believed above what the provider was told not to exceed", () => {
    expect(acceptUsage(reported(100, 210), OWN, { ...PLAIN, maxOutputTokens: 205 })).toEqual(OURS);
    expect(acceptUsage(reported(100, 205), OWN, { ...PLAIN, maxOutputTokens: 205 })).toMatchObject({
      outputTokens: 205,
      source: "provider",
    });
  });

  it("is replaced by ours where there is none", () => {
    expect(acceptUsage(undefined, OWN, PLAIN)).toEqual(OURS);
  });
});

describe("what is paid for", () => {
  it("is whole, never negative, never above the request's limit, and near our own count, whatever is reported", () => {
    const anything = fc.oneof(fc.integer({ min: -10, max: 100_000 }), fc.anything(), fc.double());
    const own = fc.record({ inputTokens: fc.nat(50_000), outputTokens: fc.nat(50_000) });
    const limit = fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined });
    fc.assert(
      fc.property(
        anything,
        anything,
        fc.tuple(anything, anything),
        own,
        limit,
        (input, output, [cached, written], counted, maxOutputTokens) => {
          const accepted = acceptUsage(reported(input, output, cached, written), counted, {
            ...PLAIN,
            maxOutputTokens,
          });
          const { cachedInputTokens, cacheWriteTokens } = accepted;
          const parts = [cachedInputTokens, cacheWriteTokens];
          for (const tokens of [accepted.inputTokens, accepted.outputTokens, ...parts]) {
            expect(Number.isSafeInteger(tokens)).toBe(true);
            expect(tokens).toBeGreaterThanOrEqual(0);
          }
          expect(cachedInputTokens + cacheWriteTokens).toBeLessThanOrEqual(accepted.inputTokens);
          expect(accepted.outputTokens).toBeLessThanOrEqual(maxOutputTokens ?? Number.POSITIVE_INFINITY);
          expect(accepted.inputTokens).toBeLessThanOrEqual(counted.inputTokens * 5 + 256);
          expect(accepted.outputTokens).toBeLessThanOrEqual(counted.outputTokens * 5 + 256);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("is not what was sent beyond the limit", () => {
    expect(
      acceptUsage(undefined, { inputTokens: 5, outputTokens: 900 }, { ...PLAIN, maxOutputTokens: 100 }),
    ).toEqual({
      inputTokens: 5,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 100,
      source: "own",
    });
  });

  it("believes what a provider counts for images, within a few times of what was set aside", () => {
    const withImage = { ...PLAIN, attachedTokens: 2_000 };
    expect(acceptUsage(reported(100 + 10_000, 200), OWN, withImage).source).toBe("provider");
    expect(acceptUsage(reported(100 + 10_001, 200), OWN, withImage)).toEqual(OURS);
    expect(acceptUsage(reported(100 + 10_000, 200), OWN, PLAIN)).toEqual(OURS);
  });

  it("believes the number of thoughts of a model that thinks, up to what was asked for", () => {
    const thinking = { ...PLAIN, maxOutputTokens: 50_000, thinks: true };
    expect(acceptUsage(reported(100, 50_000), OWN, thinking)).toMatchObject({
      outputTokens: 50_000,
      source: "provider",
    });
    expect(acceptUsage(reported(100, 50_001), OWN, thinking)).toEqual(OURS);
    expect(acceptUsage(reported(100, 50_000), OWN, { ...thinking, thinks: false })).toEqual(OURS);
    expect(acceptUsage(reported(100, 50_000), OWN, { ...thinking, maxOutputTokens: undefined })).toEqual(
      OURS,
    );
  });
});
