import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecayedAverage, DecayedRate, RecentQuantile } from "./statistics.ts";

describe("decayed statistics", () => {
  function averageOf(values: readonly number[]): number {
    const average = new DecayedAverage();
    for (const value of values) average.add(value, 0);
    return average.value ?? Number.NaN;
  }

  const times = (count: number, value: number) => Array.from({ length: count }, () => value);

  describe("DecayedAverage", () => {
    it("is undefined before the first value, and equals it after it", () => {
      expect(new DecayedAverage().value).toBeUndefined();
      expect(averageOf([250])).toBeCloseTo(250);
    });

    it("is hardly moved by one outlier", () => {
      const after = averageOf([...times(20, 100), 60_000]);
      expect(after).toBeGreaterThan(100);
      expect(after).toBeLessThan(120);
    });

    it("soon forgets that the very first call was slow", () => {
      expect(averageOf([30_000, ...times(20, 100)])).toBeLessThan(150);
    });

    it("follows a lasting change", () => {
      expect(averageOf([...times(50, 100), ...times(50, 1_000)])).toBeGreaterThan(900);
    });

    it.each([10, 100])(
      "follows a change by a factor of %d halfway within ten values, and closely within twenty",
      (factor) => {
        expect(averageOf([...times(50, 100), ...times(10, 100 * factor)])).toBeGreaterThan(50 * factor);
        expect(averageOf([...times(50, 100), ...times(20, 100 * factor)])).toBeGreaterThan(80 * factor);
        expect(averageOf([...times(50, 100 * factor), ...times(20, 100)])).toBeLessThan(130);
      },
    );

    it("is moved more by a value that comes after a long time", () => {
      const after = (idleMs: number) => {
        const average = new DecayedAverage();
        for (const value of times(20, 100)) average.add(value, 0);
        average.add(200, idleMs);
        return average.value ?? Number.NaN;
      };
      expect(after(0)).toBeLessThan(112);
      expect(after(3_600_000)).toBeGreaterThan(180);
    });

    it("continues from a stored state with the same weight", () => {
      const average = new DecayedAverage();
      for (const value of times(20, 100)) average.add(value, 0);
      const other = new DecayedAverage();
      other.restore(average.stateAt(0), 0);
      for (const each of [average, other]) each.add(300, 0);
      expect(other.value).toBeCloseTo(average.value ?? Number.NaN);
    });

    it("stays between the smallest and the largest value", () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 1 }), (values) => {
          const average = averageOf(values);
          expect(average).toBeGreaterThanOrEqual(Math.min(...values) - 0.01);
          expect(average).toBeLessThanOrEqual(Math.max(...values) + 0.01);
        }),
      );
    });

    it("ignores invalid values", () => {
      expect(averageOf([100, Number.NaN, -5, Number.POSITIVE_INFINITY])).toBeCloseTo(100);
    });
  });

  describe("DecayedRate", () => {
    it("is 0 without failures and near 1 when everything fails", () => {
      const rate = new DecayedRate();
      expect(rate.valueAt(0)).toBe(0);
      for (let call = 0; call < 100; call++) rate.add(0, false);
      expect(rate.valueAt(0)).toBe(0);
      const bad = new DecayedRate();
      for (let call = 0; call < 100; call++) bad.add(0, true);
      expect(bad.valueAt(0)).toBeGreaterThan(0.8);
    });

    it("stays low after one early failure", () => {
      const rate = new DecayedRate();
      rate.add(0, true);
      expect(rate.valueAt(0)).toBeLessThan(0.25);
    });

    it("decays with calls and with time", () => {
      const rate = new DecayedRate();
      for (let call = 0; call < 20; call++) rate.add(0, true);
      const fresh = rate.valueAt(0);
      expect(rate.valueAt(120_000)).toBeLessThan(fresh);
      expect(rate.valueAt(1_200_000)).toBeLessThan(0.01);
      for (let call = 0; call < 20; call++) rate.add(0, false);
      expect(rate.valueAt(0)).toBeLessThan(fresh / 2);
    });
  });
});

describe("recent statistics", () => {
  describe("RecentQuantile", () => {
    it("equals the p95 of the last 64 values, sorted", () => {
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

    it("is undefined for fewer than eight valid values", () => {
      const quantile = new RecentQuantile();
      for (const value of [1, 2, 3, 4, 5, 6, 7, Number.NaN, -1, Number.POSITIVE_INFINITY]) quantile.add(value);
      expect(quantile.value).toBeUndefined();
    });

    it("continues from stored values", () => {
      const quantile = new RecentQuantile();
      for (let value = 0; value < 100; value++) quantile.add(value);
      const other = new RecentQuantile();
      other.restore(quantile.values());
      for (const each of [quantile, other]) each.add(500);
      expect(other.value).toBe(quantile.value);
      expect(other.values()).toEqual(quantile.values());
    });
  });
});
