import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentQuantile } from "./recent-quantile.ts";

describe("RecentQuantile", () => {
  it("is what sorting the last 64 values says", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 8, maxLength: 200 }), (values) => {
        const quantile = new RecentQuantile();
        for (const value of values) quantile.add(value);
        const last = values.slice(-64);
        const sorted = last.toSorted((one, other) => one - other);
        expect(quantile.value).toBe(sorted[Math.ceil(sorted.length * 0.95) - 1]);
        expect(quantile.values()).toEqual(last);
      }),
    );
  });

  it("says nothing of fewer than eight values, nor counts what is no measure", () => {
    const quantile = new RecentQuantile();
    for (const value of [1, 2, 3, 4, 5, 6, 7, Number.NaN, -1, Number.POSITIVE_INFINITY]) quantile.add(value);
    expect(quantile.value).toBeUndefined();
  });

  it("goes on from where it stood", () => {
    const quantile = new RecentQuantile();
    for (let value = 0; value < 100; value++) quantile.add(value);
    const other = new RecentQuantile();
    other.restore(quantile.values());
    for (const each of [quantile, other]) each.add(500);
    expect(other.value).toBe(quantile.value);
    expect(other.values()).toEqual(quantile.values());
  });
});
