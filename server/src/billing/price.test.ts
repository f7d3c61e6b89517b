import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Price } from "../domain/model.ts";
import { priceOf } from "./price.ts";

const FREE: Price = { version: "1", inputPerMillion: 0n, outputPerMillion: 0n, perImage: 0n, perRequest: 0n };
const NOTHING = { inputTokens: 0, outputTokens: 0, images: 0 };

const price = fc.record({
  version: fc.constant("1"),
  inputPerMillion: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  outputPerMillion: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  perImage: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  perRequest: fc.bigInt({ min: 0n, max: 10n ** 12n }),
});
const usage = fc.record({
  inputTokens: fc.nat(1_000_000),
  outputTokens: fc.nat(1_000_000),
  images: fc.nat(10),
});

describe("the cost of an answer", () => {
  it("is tokens times price, in nano-credits", () => {
    // 0.001 credits per thousand tokens in, 0.002 out.
    const terms = { ...FREE, inputPerMillion: 1_000_000_000n, outputPerMillion: 2_000_000_000n };
    expect(priceOf(terms, { inputTokens: 10, outputTokens: 20, images: 0 })).toBe(50_000n);
  });

  it("counts pictures and the request itself", () => {
    const terms = { ...FREE, perImage: 40_000_000n, perRequest: 7n };
    expect(priceOf(terms, { inputTokens: 1_000, outputTokens: 0, images: 2 })).toBe(80_000_007n);
  });

  it("is rounded up once and not once for each side", () => {
    const terms = { ...FREE, inputPerMillion: 400_000n, outputPerMillion: 400_000n };
    expect(priceOf(terms, { inputTokens: 1, outputTokens: 1, images: 0 })).toBe(1n);
  });

  it("is never nothing where any token has a price", () => {
    expect(priceOf({ ...FREE, inputPerMillion: 1n }, { ...NOTHING, inputTokens: 1 })).toBe(1n);
  });

  it("is nothing for a free model and for no use", () => {
    expect(priceOf(FREE, { inputTokens: 1_000, outputTokens: 1_000, images: 3 })).toBe(0n);
    expect(priceOf({ ...FREE, inputPerMillion: 5n, outputPerMillion: 5n, perImage: 5n }, NOTHING)).toBe(0n);
  });

  it("is the exact cost, rounded up by less than a nano-credit", () => {
    fc.assert(
      fc.property(price, usage, (terms, used) => {
        const exactMillionths =
          BigInt(used.inputTokens) * terms.inputPerMillion +
          BigInt(used.outputTokens) * terms.outputPerMillion +
          (BigInt(used.images) * terms.perImage + terms.perRequest) * 1_000_000n;
        const costMillionths = priceOf(terms, used) * 1_000_000n;
        expect(costMillionths).toBeGreaterThanOrEqual(exactMillionths);
        expect(costMillionths - exactMillionths).toBeLessThan(1_000_000n);
      }),
      { numRuns: 1_000 },
    );
  });

  it("never falls when more is used", () => {
    fc.assert(
      fc.property(price, usage, usage, (terms, used, more) => {
        const sum = {
          inputTokens: used.inputTokens + more.inputTokens,
          outputTokens: used.outputTokens + more.outputTokens,
          images: used.images + more.images,
        };
        expect(priceOf(terms, sum)).toBeGreaterThanOrEqual(priceOf(terms, used));
      }),
    );
  });
});
