import type { Price } from "./model.ts";
import { divideUp, type NanoCredits } from "./money.ts";
import type { ChargedUsage } from "./usage.ts";

const TOKENS_PER_PRICE = 1_000_000n;
/** Converts a price per second, applied to milliseconds, to the unit of the token prices. */
const PER_MILLISECOND = TOKENS_PER_PRICE / 1_000n;

/** The cost of one answer, rounded up once, at the end, to a nano-credit. */
export function priceOf(price: Price, usage: ChargedUsage): NanoCredits {
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

/** Whether anything can cost more by the second price than by the first. */
export function isPriceRise(before: Price, after: Price): boolean {
  return FIELDS.some((field) => amountOf(after, field) > amountOf(before, field));
}

/** The lower one of two prices in everything. */
export function lowerPrice(one: Price, other: Price): Price {
  const lower = (field: (typeof FIELDS)[number]) => {
    const [first, second] = [amountOf(one, field), amountOf(other, field)];
    return first < second ? first : second;
  };
  const inputPerMillion = lower("inputPerMillion");
  const lowerCache = (field: "cachedInputPerMillion" | "cacheWritePerMillion") => {
    const amount = lower(field);
    const isPlain = amount === inputPerMillion && (one[field] === undefined || other[field] === undefined);
    return isPlain ? undefined : amount;
  };
  return {
    version: "new",
    inputPerMillion,
    cachedInputPerMillion: lowerCache("cachedInputPerMillion"),
    cacheWritePerMillion: lowerCache("cacheWritePerMillion"),
    outputPerMillion: lower("outputPerMillion"),
    perImage: lower("perImage"),
    perRequest: lower("perRequest"),
    perSecond: lower("perSecond"),
  };
}

const FIELDS = [
  "inputPerMillion",
  "cachedInputPerMillion",
  "cacheWritePerMillion",
  "outputPerMillion",
  "perImage",
  "perRequest",
  "perSecond",
] as const satisfies readonly (keyof Price)[];

/** Input of a cache without a price of its own costs what other input costs. */
function amountOf(price: Price, field: (typeof FIELDS)[number]): bigint {
  return price[field] ?? price.inputPerMillion;
}

const DISCOUNT_SCALE = 10_000n;

/** A price less a discount in ten-thousandths, each component rounded up. */
export function discountedPrice(price: Price, tenThousandths: number): Price {
  const less = (amount: bigint) => divideUp(amount * (DISCOUNT_SCALE - BigInt(tenThousandths)), DISCOUNT_SCALE);
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

const TOKENS_PER_RATE = 1_000_000;
const MILLISECONDS_PER_RATE = 1_000;
/** Integers below this are exact as doubles, and so are sums and products that stay below it. */
const EXACT_INTEGER_LIMIT = 2 ** 53;

/** A price as doubles. A price too large for them gives sums that are too large, which are left to `priceOf`. */
export interface Rates {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly millisecond: number;
  readonly image: number;
  readonly request: number;
}

/** Prices never change in place, so each is converted once. */
const ratesOfPrice = new WeakMap<Price, Rates>();

export function ratesOf(price: Price): Rates {
  const cached = ratesOfPrice.get(price);
  if (cached !== undefined) return cached;
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

/** The same result as `priceOf`, to the nano-credit, in a tenth of the time: every request needs it twice per model. */
export function fastPriceOf(price: Price, usage: ChargedUsage, rates = ratesOf(price)): NanoCredits {
  const { cachedInputTokens, cacheWriteTokens } = usage;
  const metered =
    (usage.inputTokens - cachedInputTokens - cacheWriteTokens) * rates.input +
    cachedInputTokens * rates.cachedInput +
    cacheWriteTokens * rates.cacheWrite +
    usage.outputTokens * rates.output +
    usage.audioMs * rates.millisecond;
  const flat = usage.images * rates.image + rates.request;
  if (!(metered < EXACT_INTEGER_LIMIT) || !(flat < EXACT_INTEGER_LIMIT / 2)) return priceOf(price, usage);
  // The quotient of doubles may be slightly off, but never by a whole unit.
  let rounded = Math.ceil(metered / TOKENS_PER_RATE);
  if (rounded * TOKENS_PER_RATE < metered) rounded++;
  else if ((rounded - 1) * TOKENS_PER_RATE >= metered) rounded--;
  return bigIntOf(rounded + flat);
}

/** From this number on, doubles have no digits left after the point, and those up to its double differ by 1. */
const WHOLE_FROM = 2 ** 52;
const wholeNumber = new Float64Array(1);
const wholeNumberBits = new BigUint64Array(wholeNumber.buffer);

/** An integer as a bigint. Read from the lowest 52 bits of a double, in half the time of a call of `BigInt`. */
function bigIntOf(integer: number): bigint {
  if (!(integer >= 0 && integer < WHOLE_FROM)) return BigInt(integer);
  wholeNumber[0] = integer + WHOLE_FROM;
  return BigInt.asUintN(52, wholeNumberBits[0] ?? 0n);
}
