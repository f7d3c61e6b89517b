import { texts } from "../texts/texts.ts";
import type { Pricing } from "./catalogue.ts";

/** How many of four tokens go in, in a typical request: a price for both is blended by it. */
const INPUT_SHARE = 0.75;

/** What is paid for. */
export type PriceKind = "input" | "cachedInput" | "cacheWrite" | "output" | "image" | "request" | "second";

/** One price that is asked. */
export interface PriceLine {
  readonly kind: PriceKind;
  readonly label: string;
  /** For a million tokens, or for one of another thing. */
  readonly credits: number;
  /** For what, such as "1M tokens". */
  readonly per: string;
}

/** Every price that is not zero, the tokens first. None: it is free. */
export function priceLines(pricing: Pricing): readonly PriceLine[] {
  const { input_per_1k_tokens: input = 0, output_per_1k_tokens: output = 0 } = pricing;
  const cached = pricing.cached_input_per_1k_tokens ?? input;
  const written = pricing.cache_write_per_1k_tokens ?? input;
  const lines: readonly (readonly [PriceKind, number, boolean])[] = [
    ["input", perMillion(input), input !== 0],
    // A cache that costs as much as any other input is no price of its own; one that costs nothing is.
    ["cachedInput", perMillion(cached), cached !== input],
    ["cacheWrite", perMillion(written), written !== input],
    ["output", perMillion(output), output !== 0],
    ["image", pricing.per_image ?? 0, (pricing.per_image ?? 0) !== 0],
    ["request", pricing.per_request ?? 0, (pricing.per_request ?? 0) !== 0],
    ["second", pricing.per_second ?? 0, (pricing.per_second ?? 0) !== 0],
  ];
  const { labels, units } = texts.models.price;
  return lines.flatMap(([kind, credits, isAsked]) =>
    isAsked ? [{ kind, label: labels[kind], credits, per: isByTokens(kind) ? units.tokens : units[kind] }] : [],
  );
}

/** Whether a price is one for tokens. */
export function isByTokens(kind: PriceKind): kind is "input" | "cachedInput" | "cacheWrite" | "output" {
  return kind !== "image" && kind !== "request" && kind !== "second";
}

/** Whether nothing is asked for it. */
export function isFree(pricing: Pricing): boolean {
  return priceLines(pricing).length === 0;
}

/** Credits for a million tokens, three in for one out; undefined where it is not priced by tokens alone. */
export function blendedPrice(pricing: Pricing): number | undefined {
  if (priceLines(pricing).some(({ kind }) => !isByTokens(kind))) return undefined;
  const input = pricing.input_per_1k_tokens ?? 0;
  const output = pricing.output_per_1k_tokens ?? 0;
  return perMillion(input * INPUT_SHARE + output * (1 - INPUT_SHARE));
}

/** The price of a million tokens by that of a thousand. Nine decimals are what it may have: beyond is only what floats add. */
export function perMillion(per1kTokens: number): number {
  return Number((per1kTokens * 1_000).toFixed(9));
}
