import { texts } from "../../texts/texts.ts";
import type { ModelType, Prices } from "./model-draft.ts";

const TEXTS = texts.providerForm.priceWords;

const SAMPLE = 1_000;

/** The cost of a typical set of requests at these prices; undefined while a price is missing. */
export function sampleCost(type: ModelType, prices: Prices): { words: string; credits: number } | undefined {
  const input = prices.input_per_1k_tokens;
  const output = type === "embedding" ? (prices.output_per_1k_tokens ?? 0) : prices.output_per_1k_tokens;
  const each = prices.per_request ?? 0;
  if (type === "image" && prices.per_image !== undefined)
    return { words: TEXTS.requestsOfOneImage, credits: exact(SAMPLE * (prices.per_image + each)) };
  if (type === "audio" && prices.per_second !== undefined)
    return {
      words: TEXTS.requestsOfSeconds,
      credits: exact(SAMPLE * (10 * prices.per_second + each)),
    };
  if (input !== undefined && output !== undefined)
    return {
      words: type === "embedding" ? TEXTS.requestsOfInput : TEXTS.requestsOfTokens,
      credits: exact(SAMPLE * (0.5 * input + (type === "embedding" ? 0 : 0.5 * output) + each)),
    };
  if ((type === "image" || type === "audio") && prices.per_request !== undefined)
    return { words: TEXTS.requests, credits: exact(SAMPLE * each) };
  return undefined;
}

/** Sums of decimals in binary end in noise far below a nano-credit. */
function exact(credits: number): number {
  return Math.round(credits * 1e9) / 1e9;
}
