import type { Pricing } from "./catalogue.ts";

/** How many of four tokens go in, in a typical request: a price for both is blended by it. */
const INPUT_SHARE = 0.75;

/** One price that is asked. */
export interface PriceLine {
  readonly label: string;
  readonly credits: number;
  /** For what, such as "1M tokens". */
  readonly per: string;
}

/** Every price that is not zero, the tokens first. None: it is free. */
export function priceLines(pricing: Pricing): readonly PriceLine[] {
  const cached = pricing.cached_input_per_1k_tokens ?? undefined;
  const written = pricing.cache_write_per_1k_tokens ?? undefined;
  const lines: readonly (PriceLine | undefined)[] = [
    line("Input", tokenPrice(pricing.input_per_1k_tokens), "1M tokens"),
    // A cache that costs as much as any other input is no price of its own; one that costs nothing is.
    cached === undefined || cached === pricing.input_per_1k_tokens
      ? undefined
      : { label: "Cached input", credits: perMillion(cached), per: "1M tokens" },
    written === undefined || written === pricing.input_per_1k_tokens
      ? undefined
      : { label: "Cache write", credits: perMillion(written), per: "1M tokens" },
    line("Output", tokenPrice(pricing.output_per_1k_tokens), "1M tokens"),
    line("Image", pricing.per_image, "image"),
    line("Request", pricing.per_request, "request"),
    line("Audio", pricing.per_second, "second"),
  ];
  return lines.filter((known) => known !== undefined);
}

/** Whether nothing is asked for it. */
export function isFree(pricing: Pricing): boolean {
  return priceLines(pricing).length === 0;
}

/** Credits for a million tokens, three in for one out; undefined where it is not priced by tokens alone. */
export function blendedPrice(pricing: Pricing): number | undefined {
  const lines = priceLines(pricing);
  if (lines.some(({ per }) => per !== "1M tokens")) return undefined;
  const input = pricing.input_per_1k_tokens ?? 0;
  const output = pricing.output_per_1k_tokens ?? 0;
  return perMillion(input * INPUT_SHARE + output * (1 - INPUT_SHARE));
}

/** The price of a million tokens by that of a thousand. Nine decimals are what it may have: beyond is only what floats add. */
export function perMillion(per1kTokens: number): number {
  return Number((per1kTokens * 1_000).toFixed(9));
}

function tokenPrice(per1kTokens: number | undefined): number | undefined {
  return per1kTokens === undefined ? undefined : perMillion(per1kTokens);
}

function line(label: string, credits: number | undefined, per: string): PriceLine | undefined {
  return credits === undefined || credits === 0 ? undefined : { label, credits, per };
}
