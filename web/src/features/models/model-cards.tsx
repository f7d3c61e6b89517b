import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { formatCompact, formatMs, formatNumber } from "../../ui/format.ts";
import { describeDay } from "./availability.ts";
import { AvailabilityStrip } from "./availability-strip.tsx";
import { qualityOf } from "./model-filters.ts";
import { ModelBadges, ModelLink, type ModelListProps } from "./model-table.tsx";
import { PriceText } from "./price-text.tsx";

const TEXTS = texts.models;

/** The models one below the other, for small screens. */
export function ModelCards({ offers, compared, canCompareMore, onCompare }: ModelListProps) {
  return (
    <ul aria-label={TEXTS.title} className="grid gap-3 sm:grid-cols-2">
      {offers.map((offer) => {
        const isCompared = compared.includes(offer.full_name);
        return (
          <li
            key={offer.full_name}
            className="grid min-w-0 content-start gap-3 rounded-lg border border-line bg-surface p-4 [contain-intrinsic-size:auto_14rem] [content-visibility:auto]"
          >
            <div className="flex items-start justify-between gap-3">
              <div className="min-w-0">
                <ModelLink offer={offer} />
                <p className="line-clamp-2 text-sm text-muted">{offer.description}</p>
              </div>
              <Checkbox
                label={TEXTS.compareModel(offer.full_name)}
                hideLabel
                checked={isCompared}
                disabled={!isCompared && !canCompareMore}
                onCheckedChange={() => onCompare(offer.full_name)}
              />
            </div>
            <ModelBadges offer={offer} />
            <div className="flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm">
              <span>
                <PriceText pricing={offer.pricing} provider={offer.provider_pricing} byOwnKey={offer.own_key} />
                {offer.pricing.input_per_1k_tokens !== 0 && (
                  <span className="block text-xs text-muted">{TEXTS.price.per1M}</span>
                )}
              </span>
              <Figures offer={offer} />
            </div>
            <div>
              <AvailabilityStrip stretches={offer.availability} />
              <span aria-hidden="true" className="text-xs text-muted">
                {describeDay(offer.availability)}
              </span>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Figures({ offer }: { readonly offer: Offer }) {
  const { live, context_window, max_output_tokens: output } = offer;
  const quality = qualityOf(offer);
  const words = TEXTS.figures;
  const figures = [
    live.latency_ms === null ? undefined : formatMs(live.latency_ms),
    live.tokens_per_second === null ? undefined : words.throughput(formatNumber(Math.round(live.tokens_per_second))),
    quality === null ? undefined : words.quality(quality),
    context_window === null ? undefined : words.context(formatCompact(context_window)),
    output === null ? undefined : words.output(formatCompact(output)),
  ].filter((figure) => figure !== undefined);
  return (
    <ul className="text-right text-muted">
      {figures.map((figure) => (
        <li key={figure}>{figure}</li>
      ))}
    </ul>
  );
}
