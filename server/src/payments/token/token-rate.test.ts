import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { creditsFor, formatRate, formatUnits } from "./token-rate.ts";

const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const rate = fc.record({ numerator: fc.bigInt({ min: 1n, max: 10n ** 30n }), decimals: fc.nat({ max: 18 }) });
const decimals = fc.nat({ max: 77 });

describe("what units of a token are worth", () => {
  it("is never more than the rate says, and less by under a nano-credit", () => {
    fc.assert(
      fc.property(units, decimals, rate, (amount, places, by) => {
        const scale = 10n ** BigInt(places + by.decimals);
        const exact = amount * by.numerator * 1_000_000_000n;
        const credits = creditsFor(amount, places, by);
        expect(credits * scale <= exact && exact < (credits + 1n) * scale).toBe(true);
      }),
    );
  });

  it("is never more in parts than as a whole", () => {
    fc.assert(
      fc.property(units, units, decimals, rate, (one, other, places, by) => {
        const parts = creditsFor(one, places, by) + creditsFor(other, places, by);
        expect(parts <= creditsFor(one + other, places, by)).toBe(true);
      }),
    );
  });
});

describe("an amount of tokens in words", () => {
  it.each([
    [0n, 18, "0"],
    [1n, 18, "0.000000000000000001"],
    [1_500_000n, 6, "1.5"],
    [12n, 0, "12"],
    [2n ** 256n - 1n, 0, String(2n ** 256n - 1n)],
  ])("%s at %i decimals is %s", (amount, places, words) => {
    expect(formatUnits(amount, places)).toBe(words);
  });

  it("has every digit of a rate", () => {
    expect(formatRate({ numerator: 25n, decimals: 2 })).toBe("0.25");
    expect(formatRate({ numerator: 300n, decimals: 2 })).toBe("3");
  });
});
