import { texts } from "../../texts/texts.ts";
import { formatMoney } from "../../ui/format.ts";
import { locale } from "../../ui/locale.ts";
import { PRICE_FIELDS, type PriceField } from "./model-draft.ts";
import type { PriceVersion } from "./provider-queries.ts";

const TEXTS = texts.providerForm.priceSteps;

export const PRICE_NAMES: Readonly<Record<PriceField, string>> = {
  input_per_1k_tokens: TEXTS.inputKTokens,
  output_per_1k_tokens: TEXTS.outputKTokens,
  cached_input_per_1k_tokens: TEXTS.cachedInputKTokens,
  cache_write_per_1k_tokens: TEXTS.inputIntoACache,
  per_request: TEXTS.perRequest,
  per_image: TEXTS.perImage,
  per_second: TEXTS.perSecond,
};

/** The prices that any version has; the first two where none has any. */
export function usedPrices(versions: readonly PriceVersion[]): readonly PriceField[] {
  const used = PRICE_FIELDS.filter((field) => versions.some(({ pricing }) => (pricing?.[field] ?? 0) > 0));
  return used.length === 0 ? ["input_per_1k_tokens", "output_per_1k_tokens"] : used;
}

/** Prices as a line that goes in steps: each holds until the moment before the next. */
export function pricesSteps(versions: readonly PriceVersion[], fields: readonly PriceField[], now: number) {
  const oldestFirst = versions.toReversed();
  const points = oldestFirst.flatMap((version, index) => {
    const since = Date.parse(version.since);
    const next = oldestFirst[index + 1];
    const until = next === undefined ? Math.max(now, since + 1) : Date.parse(next.since) - 1;
    return until > since
      ? [
          { at: since, version },
          { at: until, version },
        ]
      : [{ at: since, version }];
  });
  return {
    times: points.map(({ at }) => at),
    series: fields.map((field) => ({
      label: PRICE_NAMES[field],
      values: points.map(({ version }) => (version.pricing === null ? null : (version.pricing[field] ?? 0))),
    })),
  };
}

/** A price with every decimal it has. Token prices have up to twelve, which no amount of money has. */
export function writePrice(price: number | null | undefined): string {
  if (price === undefined || price === null) return TEXTS.asInput;
  if (price === 0) return TEXTS.free;
  return price < 1e-6
    ? new Intl.NumberFormat(locale(), { maximumFractionDigits: 12 }).format(price)
    : formatMoney(price);
}
