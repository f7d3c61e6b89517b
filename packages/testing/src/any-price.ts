import type { Price } from "@trunkline/core/model.ts";
import type { ChargedUsage } from "@trunkline/core/usage.ts";
import fc from "fast-check";

/** Ends of a range are drawn often: that is where roundings go wrong. */
const upTo = (max: bigint) =>
  fc.oneof(fc.constantFrom(0n, 1n, max), fc.bigInt({ min: 0n, max: 1_000_000n }), fc.bigInt({ min: 0n, max }));

/** Any price that can be registered. */
export const anyPrice: fc.Arbitrary<Price> = fc.record({
  version: fc.constant("1"),
  inputPerMillion: upTo(10n ** 15n),
  cachedInputPerMillion: fc.option(upTo(10n ** 15n), { nil: undefined }),
  cacheWritePerMillion: fc.option(upTo(10n ** 15n), { nil: undefined }),
  outputPerMillion: upTo(10n ** 15n),
  perImage: upTo(10n ** 12n),
  perRequest: upTo(10n ** 12n),
  perSecond: upTo(10n ** 12n),
});

/** Anything that an answer may have used. */
export const anyUsage: fc.Arbitrary<ChargedUsage> = fc
  .record({
    inputTokens: fc.nat(1_000_000),
    cachedShare: fc.constantFrom(0, 0.1, 0.5, 1),
    writtenShare: fc.constantFrom(0, 0.1, 0.5, 1),
    outputTokens: fc.nat(1_000_000),
    images: fc.nat(10),
    audioMs: fc.oneof(fc.constant(0), fc.nat(10_000_000)),
  })
  .map(({ cachedShare, writtenShare, ...usage }) => {
    const cachedInputTokens = Math.floor(usage.inputTokens * cachedShare);
    const cacheWriteTokens = Math.floor((usage.inputTokens - cachedInputTokens) * writtenShare);
    return { ...usage, cachedInputTokens, cacheWriteTokens };
  });
