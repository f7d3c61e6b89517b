import type { Price } from "./model.ts";
import type { NanoCredits } from "./money.ts";
import { priceOf, type Usage } from "./price.ts";

const TOKENS_PER_RATE = 1_000_000;
const MILLISECONDS_PER_RATE = 1_000;
/** Whole numbers below this are exact as doubles, and so are their sums and products that stay below it. */
const EXACT_INTEGER_LIMIT = 2 ** 53;

/** A price as doubles. One that is too great for them gives sums that are too great, and these are left to `priceOf`. */
interface Rates {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly millisecond: number;
  readonly image: number;
  readonly request: number;
}

/** Prices never change in place, so that each is converted once. */
const ratesOfPrice = new WeakMap<Price, Rates>();

function ratesOf(price: Price): Rates {
  const remembered = ratesOfPrice.get(price);
  if (remembered !== undefined) return remembered;
  const rates: Rates = {
    input: Number(price.inputPerMillion),
    cachedInput: Number(price.cachedInputPerMillion ?? price.inputPerMillion),
    cacheWrite: Number(price.cacheWritePerMillion ?? price.inputPerMillion),
    output: Number(price.outputPerMillion),
    millisecond: Number(price.perSecond) * MILLISECONDS_PER_RATE,
    image: Number(price.perImage),
    request: Number(price.perRequest),
  };
  ratesOfPrice.set(price, rates);
  return rates;
}

/** To the nano-credit what `priceOf` says, in a tenth of its time: every request asks it twice for every model. */
export function fastPriceOf(price: Price, usage: Usage): NanoCredits {
  const rates = ratesOf(price);
  const { cachedInputTokens, cacheWriteTokens } = usage;
  const metered =
    (usage.inputTokens - cachedInputTokens - cacheWriteTokens) * rates.input +
    cachedInputTokens * rates.cachedInput +
    cacheWriteTokens * rates.cacheWrite +
    usage.outputTokens * rates.output +
    usage.audioMs * rates.millisecond;
  const flat = usage.images * rates.image + rates.request;
  if (!(metered < EXACT_INTEGER_LIMIT) || !(flat < EXACT_INTEGER_LIMIT / 2)) return priceOf(price, usage);
  // The quotient of doubles may be a hair beside the true one, but never a whole.
  let rounded = Math.ceil(metered / TOKENS_PER_RATE);
  if (rounded * TOKENS_PER_RATE < metered) rounded++;
  else if ((rounded - 1) * TOKENS_PER_RATE >= metered) rounded--;
  return BigInt(rounded + flat);
}
