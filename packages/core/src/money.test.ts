import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divideUp, formatCredits, fromCredits, scaleDecimal, toCredits } from "./money.ts";

describe("money", () => {
  /** A decimal of up to fifteen digits, which a double holds exactly as written. */
  const writtenDecimal = fc.record({
    digits: fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n }),
    exponent: fc.integer({ min: -24, max: 12 }),
  });

  /** `digits · 10^exponent` in units of 10^-decimals, computed with integers only; undefined where it is no integer. */
  function scaleExactly(digits: bigint, exponent: number, decimals: number): bigint | undefined {
    const shift = exponent + decimals;
    if (shift >= 0) return digits * 10n ** BigInt(shift);
    const divisor = 10n ** BigInt(-shift);
    return digits % divisor === 0n ? digits / divisor : undefined;
  }

  describe("scaleDecimal", () => {
    it.each([
      [0.1, 9, 100_000_000n],
      [0.3, 1, 3n],
      [1e-7, 9, 100n],
      [1.5e-7, 9, 150n],
      [1e-9, 9, 1n],
      [1e21, 9, 10n ** 30n],
      [1.25e21, 0, 1_250_000_000_000_000_000_000n],
      [123_456.789, 9, 123_456_789_000_000n],
      [-0.25, 2, -25n],
      [-1e-7, 7, -1n],
      [0, 9, 0n],
      [-0, 9, 0n],
      [100, 0, 100n],
    ])("reads %d to %d decimals exactly", (value, decimals, expected) => {
      expect(scaleDecimal(value, decimals)).toBe(expected);
    });

    it.each([
      [0.1, 0],
      [1e-10, 9],
      [1e-30, 9],
      [0.123_456_789_1, 9],
      [-0.000_05, 4],
      [12.345, 2],
    ])("refuses %d at %d decimals instead of rounding it", (value, decimals) => {
      expect(scaleDecimal(value, decimals)).toBeUndefined();
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("returns undefined for %d", (value) => {
      expect(scaleDecimal(value, 9)).toBeUndefined();
    });

    it("agrees with integer arithmetic for any decimal", () => {
      fc.assert(
        fc.property(writtenDecimal, fc.integer({ min: 0, max: 12 }), ({ digits, exponent }, decimals) => {
          const written = Number(`${digits}e${exponent}`);
          expect(scaleDecimal(written, decimals)).toBe(scaleExactly(digits, exponent, decimals));
        }),
        { numRuns: 500 },
      );
    });
  });

  describe("toCredits", () => {
    // Doubles are closer together than a nano-credit up to 2^23 credits, about eight million.
    const amount = fc.bigInt({ min: 0n, max: 2n ** 23n * 1_000_000_000n });

    it("is read back as the same amount, up to eight million credits", () => {
      fc.assert(
        fc.property(amount, (nano) => {
          expect(fromCredits(toCredits(nano))).toBe(nano);
        }),
        { numRuns: 500 },
      );
    });

    it("shows at most nine decimals, for any amount", () => {
      fc.assert(
        fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (nano) => {
          expect(fromCredits(JSON.parse(JSON.stringify(toCredits(nano))))).toBeDefined();
        }),
        { numRuns: 500 },
      );
    });

    it("is the plain number of credits", () => {
      expect(toCredits(1_500_000_000n)).toBe(1.5);
      expect(toCredits(1n)).toBe(1e-9);
      expect(toCredits(0n)).toBe(0);
    });
  });

  describe("divideUp", () => {
    it("is the smallest integer that is not below the quotient", () => {
      const whole = fc.bigInt({ min: 0n, max: 10n ** 30n });
      fc.assert(
        fc.property(whole, fc.bigInt({ min: 1n, max: 10n ** 12n }), (dividend, divisor) => {
          const quotient = divideUp(dividend, divisor);
          expect(quotient * divisor).toBeGreaterThanOrEqual(dividend);
          expect((quotient - 1n) * divisor).toBeLessThan(dividend);
        }),
      );
    });
  });
});

describe("formatCredits", () => {
  it.each([
    [0n, "0 credits"],
    [1n, "0.000000001 credits"],
    [1_500_000_000n, "1.5 credits"],
    [20_000_000_000n, "20 credits"],
    [-250_000_000n, "-0.25 credits"],
  ])("writes %s nano-credits as %s", (amount, text) => {
    expect(formatCredits(amount)).toBe(text);
  });
});
