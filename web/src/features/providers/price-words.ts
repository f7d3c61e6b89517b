import type { ModelType, Prices } from "./model-draft.ts";

const SAMPLE = 1_000;

/** The cost of a typical set of requests at these prices; undefined while a price is missing. */
export function sampleCost(type: ModelType, prices: Prices): { words: string; credits: number } | undefined {
  const input = prices.input_per_1k_tokens;
  const output = type === "embedding" ? (prices.output_per_1k_tokens ?? 0) : prices.output_per_1k_tokens;
  const each = prices.per_request ?? 0;
  if (type === "image" && prices.per_image !== undefined)
    return { words: "1,000 requests of one image", credits: exact(SAMPLE * (prices.per_image + each)) };
  if (type === "audio" && prices.per_second !== undefined)
    return {
      words: "1,000 requests of 10 seconds",
      credits: exact(SAMPLE * (10 * prices.per_second + each)),
    };
  if (input !== undefined && output !== undefined)
    return {
      words: `1,000 requests of 500 + ${type === "embedding" ? 0 : 500} tokens`,
      credits: exact(SAMPLE * (0.5 * input + (type === "embedding" ? 0 : 0.5 * output) + each)),
    };
  if ((type === "image" || type === "audio") && prices.per_request !== undefined)
    return { words: "1,000 requests", credits: exact(SAMPLE * each) };
  return undefined;
}

/** Sums of decimals in binary end in noise far below a nano-credit. */
function exact(credits: number): number {
  return Math.round(credits * 1e9) / 1e9;
}
