import { describe, expect, it } from "vitest";
import { FREE_PRICE } from "./model.ts";
import { discountedPrice } from "./price.ts";

describe("a price less a discount", () => {
  const price = {
    version: "7",
    ...FREE_PRICE,
    inputPerMillion: 1_000n,
    outputPerMillion: 3n,
    perRequest: 10_001n,
  };

  it("is less in every place, rounded up, and of the same version", () => {
    expect(discountedPrice(price, 5_000)).toEqual({
      ...price,
      inputPerMillion: 500n,
      outputPerMillion: 2n,
      perRequest: 5_001n,
    });
    expect(discountedPrice({ ...price, cachedInputPerMillion: 9n }, 9_000).cachedInputPerMillion).toBe(1n);
  });

  it("is the same where nothing is taken off", () => {
    expect(discountedPrice(price, 0)).toEqual(price);
  });
});
