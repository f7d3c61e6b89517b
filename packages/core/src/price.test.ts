import { anyPrice, anyUsage } from "@trunkline/testing/any-price.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FREE_PRICE as FREE_PLACES, FREE_PRICE, type Price } from "./model.ts";
import { discountedPrice, fastPriceOf, priceOf } from "./price.ts";
import type { ChargedUsage } from "./usage.ts";

describe("discounts", () => {
  describe("discountedPrice", () => {
    const price = {
      version: "7",
      ...FREE_PRICE,
      inputPerMillion: 1_000n,
      outputPerMillion: 3n,
      perRequest: 10_001n,
    };

    it("lowers every component, rounded up, and keeps the version", () => {
      expect(discountedPrice(price, 5_000)).toEqual({
        ...price,
        inputPerMillion: 500n,
        outputPerMillion: 2n,
        perRequest: 5_001n,
      });
      expect(discountedPrice({ ...price, cachedInputPerMillion: 9n }, 9_000).cachedInputPerMillion).toBe(1n);
    });

    it("is the same price for a discount of 0", () => {
      expect(discountedPrice(price, 0)).toEqual(price);
    });
  });
});

describe("exact prices", () => {
  const FREE: Price = { version: "1", ...FREE_PLACES };
  const NOTHING: ChargedUsage = {
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    images: 0,
    audioMs: 0,
  };

  describe("priceOf", () => {
    it("multiplies tokens by prices, in nano-credits", () => {
      // 0.001 credits per thousand input tokens, 0.002 for output.
      const terms = { ...FREE, inputPerMillion: 1_000_000_000n, outputPerMillion: 2_000_000_000n };
      expect(priceOf(terms, { ...NOTHING, inputTokens: 10, outputTokens: 20 })).toBe(50_000n);
    });

    it("adds images and the request itself", () => {
      const terms = { ...FREE, perImage: 40_000_000n, perRequest: 7n };
      expect(priceOf(terms, { ...NOTHING, inputTokens: 1_000, images: 2 })).toBe(80_000_007n);
    });

    it("charges cached input at its own price, or at the normal price where there is none", () => {
      const used = { ...NOTHING, inputTokens: 100, cachedInputTokens: 90 };
      const terms = { ...FREE, inputPerMillion: 10_000_000n };
      expect(priceOf({ ...terms, cachedInputPerMillion: 1_000_000n }, used)).toBe(100n + 90n);
      expect(priceOf({ ...terms, cachedInputPerMillion: 0n }, used)).toBe(100n);
      expect(priceOf(terms, used)).toBe(1_000n);
    });

    it("charges cache writes at their own price, or at the normal price where there is none", () => {
      const used = { ...NOTHING, inputTokens: 100, cachedInputTokens: 50, cacheWriteTokens: 40 };
      const terms = { ...FREE, inputPerMillion: 10_000_000n, cachedInputPerMillion: 1_000_000n };
      expect(priceOf({ ...terms, cacheWritePerMillion: 12_500_000n }, used)).toBe(100n + 50n + 500n);
      expect(priceOf({ ...terms, cacheWritePerMillion: 0n }, used)).toBe(100n + 50n);
      expect(priceOf(terms, used)).toBe(100n + 50n + 400n);
    });

    it("charges audio by the started millisecond", () => {
      const terms = { ...FREE, perSecond: 100_000n };
      expect(priceOf(terms, { ...NOTHING, audioMs: 1_500 })).toBe(150_000n);
      expect(priceOf({ ...terms, perSecond: 1n }, { ...NOTHING, audioMs: 1 })).toBe(1n);
      expect(priceOf({ ...terms, perSecond: 1n }, { ...NOTHING, audioMs: 1_001 })).toBe(2n);
    });

    it("rounds up once, not once per component", () => {
      const terms = { ...FREE, inputPerMillion: 400_000n, outputPerMillion: 400_000n };
      expect(priceOf(terms, { ...NOTHING, inputTokens: 1, outputTokens: 1 })).toBe(1n);
      const many = {
        ...FREE,
        inputPerMillion: 250_000n,
        cachedInputPerMillion: 200_000n,
        cacheWritePerMillion: 50_000n,
        outputPerMillion: 250_000n,
        perSecond: 250n,
      };
      const used = {
        inputTokens: 3,
        cachedInputTokens: 1,
        cacheWriteTokens: 1,
        outputTokens: 1,
        images: 0,
        audioMs: 1,
      };
      expect(priceOf(many, used)).toBe(1n);
      expect(priceOf(many, { ...used, audioMs: 2 })).toBe(2n);
    });

    it("is never 0 where any token has a price", () => {
      expect(priceOf({ ...FREE, inputPerMillion: 1n }, { ...NOTHING, inputTokens: 1 })).toBe(1n);
    });

    it("is 0 for a free model and for no usage", () => {
      const much = {
        inputTokens: 1_000,
        cachedInputTokens: 10,
        cacheWriteTokens: 10,
        outputTokens: 1_000,
        images: 3,
        audioMs: 9,
      };
      expect(priceOf(FREE, much)).toBe(0n);
      const dear = {
        inputPerMillion: 5n,
        cachedInputPerMillion: 5n,
        cacheWritePerMillion: 5n,
        outputPerMillion: 5n,
      };
      expect(priceOf({ ...FREE, ...dear, perImage: 5n, perSecond: 5n }, NOTHING)).toBe(0n);
    });

    it("is the exact cost, rounded up by less than a nano-credit", () => {
      fc.assert(
        fc.property(anyPrice, anyUsage, (terms, used) => {
          const exactMillionths =
            BigInt(used.inputTokens - used.cachedInputTokens - used.cacheWriteTokens) * terms.inputPerMillion +
            BigInt(used.cacheWriteTokens) * (terms.cacheWritePerMillion ?? terms.inputPerMillion) +
            BigInt(used.cachedInputTokens) * (terms.cachedInputPerMillion ?? terms.inputPerMillion) +
            BigInt(used.audioMs) * terms.perSecond * 1_000n +
            BigInt(used.outputTokens) * terms.outputPerMillion +
            (BigInt(used.images) * terms.perImage + terms.perRequest) * 1_000_000n;
          const costMillionths = priceOf(terms, used) * 1_000_000n;
          expect(costMillionths).toBeGreaterThanOrEqual(exactMillionths);
          expect(costMillionths - exactMillionths).toBeLessThan(1_000_000n);
        }),
        { numRuns: 300 },
      );
    });

    it("never falls when usage grows", () => {
      fc.assert(
        fc.property(anyPrice, anyUsage, anyUsage, (terms, used, more) => {
          const sum = {
            inputTokens: used.inputTokens + more.inputTokens,
            cachedInputTokens: used.cachedInputTokens + more.cachedInputTokens,
            cacheWriteTokens: used.cacheWriteTokens + more.cacheWriteTokens,
            outputTokens: used.outputTokens + more.outputTokens,
            images: used.images + more.images,
            audioMs: used.audioMs + more.audioMs,
          };
          expect(priceOf(terms, sum)).toBeGreaterThanOrEqual(priceOf(terms, used));
        }),
      );
    });
  });
});

describe("fastPriceOf", () => {
  const usage = fc
    .record({
      plainTokens: fc.nat(3_000_000),
      cachedInputTokens: fc.nat(100_000),
      cacheWriteTokens: fc.nat(100_000),
      outputTokens: fc.nat(200_000),
      images: fc.nat(10),
      audioMs: fc.nat(3_600_000),
    })
    .map(({ plainTokens, ...rest }) => ({
      ...rest,
      inputTokens: plainTokens + rest.cachedInputTokens + rest.cacheWriteTokens,
    }));

  it("equals the exact price to the nano-credit", () => {
    fc.assert(
      fc.property(anyPrice, usage, (price, used) => {
        expect(fastPriceOf(price, used)).toBe(priceOf(price, used));
      }),
      { numRuns: 500 },
    );
  });

  it("falls back to the exact price where doubles are not exact", () => {
    const amount = fc.bigInt(0n, 10n ** 22n);
    const prices = fc.record({ inputPerMillion: amount, outputPerMillion: amount, perImage: amount });
    fc.assert(
      fc.property(prices, usage, (some, used) => {
        const price: Price = { version: "1", ...FREE_PRICE, ...some };
        expect(fastPriceOf(price, used)).toBe(priceOf(price, used));
      }),
    );
  });

  it("rounds up correctly at the largest exact integers", () => {
    for (let off = -3; off <= 3; off++) {
      const price: Price = { version: "1", ...FREE_PRICE, inputPerMillion: 2n ** 53n + BigInt(off) };
      const used = {
        inputTokens: 1,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 0,
        images: 0,
        audioMs: 0,
      };
      expect(fastPriceOf(price, used)).toBe(priceOf(price, used));
    }
  });
});
