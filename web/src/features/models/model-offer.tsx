import type { AnswerOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatDateTime, formatMs, formatNumber, formatPercent } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Time } from "../../ui/time.tsx";
import { describeDay } from "./availability.ts";
import { AvailabilityStrip } from "./availability-strip.tsx";
import { liveWords } from "./live-words.ts";
import { ModalityIcons } from "./modality-icons.tsx";
import { PriceText } from "./price-text.tsx";

const TEXTS = texts.models.offer;

/** A model of one provider with its day by quarters of an hour. */
export type WholeOffer = AnswerOf<"GET /v1/models/{name}">["providers"][number];

/** What one provider offers under a name. */
export function ModelOffer({ offer }: { readonly offer: WholeOffer }) {
  const { live, performance } = offer;
  const none = live.calls === 0 ? TEXTS.noCalls : undefined;
  return (
    <Card className="grid gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold wrap-anywhere">{offer.full_name}</h3>
        <ModalityIcons offer={offer} />
        <CopyButton text={offer.full_name} label={TEXTS.copyName} iconOnly />
        <Badge tone={liveWords(live).tone} dot>
          {liveWords(live).word}
        </Badge>
        {offer.state === "probation" && <Badge tone="info">{TEXTS.probation}</Badge>}
      </div>
      {live.out_of_service_since !== null && (
        <Banner tone="warning" title={TEXTS.outOfService(formatDateTime(live.out_of_service_since))}>
          {TEXTS.outOfServiceText}
        </Banner>
      )}
      <div className="grid gap-1.5">
        <AvailabilityStrip stretches={offer.availability} detailed className="h-8" />
        <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
          <span>{describeDay(offer.availability)}</span>
          <span>{TEXTS.span}</span>
        </p>
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        <Figure label={TEXTS.latency} value={live.latency_ms === null ? none : formatMs(live.latency_ms)} />
        <Figure label={TEXTS.firstToken} value={live.first_token_ms === null ? none : formatMs(live.first_token_ms)} />
        <Figure
          label={TEXTS.throughput}
          value={live.tokens_per_second === null ? none : formatNumber(live.tokens_per_second)}
        />
        <Figure
          label={TEXTS.errorRate}
          value={live.calls === 0 ? none : TEXTS.errors(formatPercent(live.error_rate), live.calls)}
        />
      </dl>
      <KeyValue
        items={[
          {
            label: TEXTS.price,
            value: (
              <PriceText long pricing={offer.pricing} provider={offer.provider_pricing} byOwnKey={offer.own_key} />
            ),
          },
          {
            label: TEXTS.nextPrice,
            value:
              offer.next_pricing === null ? undefined : (
                <>
                  {TEXTS.nextPriceFrom(formatDateTime(offer.next_pricing.effective_at))}
                  <PriceText long pricing={offer.next_pricing.pricing} byOwnKey={offer.own_key} />
                </>
              ),
          },
          { label: TEXTS.quality, value: performance.predicted_quality ?? undefined },
          { label: TEXTS.declaredQuality, value: performance.accuracy_score ?? undefined },
          {
            label: TEXTS.declaredLatency,
            value: performance.avg_latency_ms === null ? undefined : formatMs(performance.avg_latency_ms),
          },
          {
            label: TEXTS.context,
            value:
              offer.context_window === null
                ? undefined
                : texts.models.figures.tokens(formatNumber(offer.context_window)),
          },
          {
            label: TEXTS.output,
            value:
              offer.max_output_tokens === null
                ? undefined
                : texts.models.figures.tokens(formatNumber(offer.max_output_tokens)),
          },
          { label: TEXTS.streaming, value: offer.streaming ? TEXTS.streamingYes : TEXTS.streamingNo },
          { label: TEXTS.capabilities, value: offer.capabilities.join(", ") || undefined },
          { label: TEXTS.specialties, value: offer.specialties.join(", ") || undefined },
          {
            label: TEXTS.since,
            value: offer.created_at === null ? TEXTS.builtin : <Time at={offer.created_at} form="date" />,
          },
        ]}
      />
    </Card>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string | undefined }) {
  return (
    <div>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="font-medium">{value ?? texts.models.unknown}</dd>
    </div>
  );
}
