import { describe, expect, it } from "vitest";
import { effectiveDays, refusalOfDays } from "./retention.ts";

const bounds = (days: number | undefined, minDays: number, maxDays: number | undefined) => ({ days, minDays, maxDays });

describe("the days for which an account's data is kept", () => {
  it("are its own, else the service's, always within the operator's bounds", () => {
    expect(effectiveDays(undefined, bounds(undefined, 1, undefined))).toBeUndefined();
    expect(effectiveDays(undefined, bounds(undefined, 1, 90))).toBe(90);
    expect(effectiveDays(undefined, bounds(30, 1, 90))).toBe(30);
    expect(effectiveDays(10, bounds(30, 1, 90))).toBe(10);
    // The operator narrowed the bounds after the account had chosen.
    expect(effectiveDays(10, bounds(30, 20, 90))).toBe(20);
    expect(effectiveDays(365, bounds(30, 20, 90))).toBe(90);
  });

  it("are refused outside the bounds, with the bound that they break", () => {
    expect(refusalOfDays(20, bounds(undefined, 20, 90))).toBeUndefined();
    expect(refusalOfDays(90, bounds(undefined, 20, 90))).toBeUndefined();
    expect(refusalOfDays(9_999, bounds(undefined, 1, undefined))).toBeUndefined();
    expect(refusalOfDays(19, bounds(undefined, 20, 90))).toMatch(/at least 20/);
    expect(refusalOfDays(91, bounds(undefined, 20, 90))).toMatch(/at most 90/);
    expect(refusalOfDays(1, bounds(undefined, 1, 0))).toMatch(/can't be chosen/);
  });
});
