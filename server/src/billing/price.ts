import type { Price } from "../domain/model.ts";
import { divideUp, type NanoCredits } from "../kit/money.ts";

const TOKENS_PER_PRICE = 1_000_000n;

/** What is paid for: counted tokens and made images. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly images: number;
}

/** The cost of one answer, rounded up once, at the end, to a nano-credit. */
export function priceOf(price: Price, usage: Usage): NanoCredits {
  const input = BigInt(usage.inputTokens) * price.inputPerMillion;
  const output = BigInt(usage.outputTokens) * price.outputPerMillion;
  return (
    divideUp(input + output, TOKENS_PER_PRICE) + BigInt(usage.images) * price.perImage + price.perRequest
  );
}
