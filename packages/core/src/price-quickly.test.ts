import { anyPrice } from "@trunkline/testing/any-price.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FREE_PRICE, type Price } from "./model.ts";
import { priceOf } from "./price.ts";
import { fastPriceOf } from "./price-quickly.ts";

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

it("says to the nano-credit what the exact price is", () => {
  fc.assert(
    fc.property(anyPrice, usage, (price, used) => {
      expect(fastPriceOf(price, used)).toBe(priceOf(price, used));
    }),
    { numRuns: 2_000 },
  );
});

it("leaves to the exact price what doubles can't hold", () => {
  const amount = fc.bigInt(0n, 10n ** 22n);
  const prices = fc.record({ inputPerMillion: amount, outputPerMillion: amount, perImage: amount });
  fc.assert(
    fc.property(prices, usage, (some, used) => {
      const price: Price = { version: "1", ...FREE_PRICE, ...some };
      expect(fastPriceOf(price, used)).toBe(priceOf(price, used));
    }),
  );
});

it("rounds up beside the last whole number that doubles hold", () => {
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
