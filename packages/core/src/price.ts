import type { Price } from "./model.ts";
import { divideUp, type NanoCredits } from "./money.ts";

const TOKENS_PER_PRICE = 1_000_000n;
/** A price of a second is a thousand prices of a millisecond: this brings it to the measure of the token prices. */
const PER_MILLISECOND = TOKENS_PER_PRICE / 1_000n;

/** What is paid for: counted tokens, made images, and audio made or heard. */
export interface Usage {
  readonly inputTokens: number;
  /** How many of the input tokens came out of the provider's cache. */
  readonly cachedInputTokens: number;
  /** How many of the others were put into it. */
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  readonly audioMs: number;
}

/** The cost of one answer, rounded up once, at the end, to a nano-credit. */
export function priceOf(price: Price, usage: Usage): NanoCredits {
  const { inputPerMillion, cachedInputPerMillion, cacheWritePerMillion } = price;
  const { cachedInputTokens, cacheWriteTokens } = usage;
  const input = BigInt(usage.inputTokens - cachedInputTokens - cacheWriteTokens) * inputPerMillion;
  const cachedInput = BigInt(cachedInputTokens) * (cachedInputPerMillion ?? inputPerMillion);
  const cacheWrite = BigInt(cacheWriteTokens) * (cacheWritePerMillion ?? inputPerMillion);
  const output = BigInt(usage.outputTokens) * price.outputPerMillion;
  const audio = BigInt(usage.audioMs) * price.perSecond * PER_MILLISECOND;
  return (
    divideUp(input + cachedInput + cacheWrite + output + audio, TOKENS_PER_PRICE) +
    BigInt(usage.images) * price.perImage +
    price.perRequest
  );
}

const DISCOUNT_SCALE = 10_000n;

/** A price less so many ten-thousandths, each of its places rounded up. */
export function discountedPrice(price: Price, tenThousandths: number): Price {
  const less = (amount: bigint) =>
    divideUp(amount * (DISCOUNT_SCALE - BigInt(tenThousandths)), DISCOUNT_SCALE);
  const { cachedInputPerMillion: cached, cacheWritePerMillion: written } = price;
  return {
    version: price.version,
    inputPerMillion: less(price.inputPerMillion),
    cachedInputPerMillion: cached === undefined ? undefined : less(cached),
    cacheWritePerMillion: written === undefined ? undefined : less(written),
    outputPerMillion: less(price.outputPerMillion),
    perImage: less(price.perImage),
    perRequest: less(price.perRequest),
    perSecond: less(price.perSecond),
  };
}
