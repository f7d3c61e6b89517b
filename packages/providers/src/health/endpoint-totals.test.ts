import { describe, expect, it } from "vitest";
import {
  addTotals,
  availabilityOf,
  averagesOf,
  NO_TOTALS,
  ONE_FAILED_CALL,
  totalsOfAnswer,
} from "./endpoint-totals.ts";

describe("averagesOf", () => {
  it("is undefined without calls", () => {
    expect(averagesOf(NO_TOTALS)).toEqual({
      latencyMs: undefined,
      firstPartMs: undefined,
      tokensPerSecond: undefined,
      errorRate: undefined,
    });
  });

  it("computes times from the answers alone, and the error rate from all calls", () => {
    const totals = [
      totalsOfAnswer({ ms: 1_100, firstPartMs: 100, outputTokens: 50 }),
      totalsOfAnswer({ ms: 900, firstPartMs: undefined, outputTokens: undefined }),
      ONE_FAILED_CALL,
      ONE_FAILED_CALL,
    ].reduce(addTotals);
    expect(averagesOf(totals)).toEqual({
      latencyMs: 1_000,
      firstPartMs: 100,
      tokensPerSecond: 50,
      errorRate: 0.5,
    });
  });

  it("computes no throughput from an answer in one piece", () => {
    const totals = totalsOfAnswer({ ms: 101, firstPartMs: 100, outputTokens: 1_000 });
    expect(averagesOf(totals).tokensPerSecond).toBeUndefined();
    expect(totals.outputTokens).toBe(1_000);
  });
});

describe("availabilityOf", () => {
  it.each([
    [0, 0, "no data"],
    [100, 0, "up"],
    [100, 4, "up"],
    [100, 5, "degraded"],
    [3, 1, "degraded"],
    [100, 50, "down"],
    [1, 1, "down"],
  ])("of %i calls with %i failures is %s", (calls, failures, expected) => {
    expect(availabilityOf({ ...NO_TOTALS, calls, failures })).toBe(expected);
  });
});
