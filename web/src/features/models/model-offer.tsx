import type { AnswerOf } from "@trunkline/sdk";
import { priceLines } from "../../api/pricing.ts";
import { Badge } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatDateTime, formatMs, formatNumber, formatPercent } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { Time } from "../../ui/time.tsx";
import { describeDay } from "./availability.ts";
import { AvailabilityStrip } from "./availability-strip.tsx";
import { liveWords } from "./live-words.ts";

/** A model of one provider with its day by quarters of an hour. */
export type WholeOffer = AnswerOf<"GET /v1/models/{name}">["providers"][number];

/** What one provider offers under a name. */
export function ModelOffer({ offer }: { readonly offer: WholeOffer }) {
  const { live, performance } = offer;
  const none = live.calls === 0 ? "No calls in the last hour" : undefined;
  return (
    <Card className="grid gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold wrap-anywhere">{offer.full_name}</h3>
        <CopyButton text={offer.full_name} label="Copy the full name" iconOnly />
        <Badge tone={liveWords(live).tone} dot>
          {liveWords(live).word}
        </Badge>
        {offer.state === "probation" && <Badge tone="info">On probation</Badge>}
      </div>
      {live.out_of_service_since !== null && (
        <Banner tone="warning" title={`Out of service since ${formatDateTime(live.out_of_service_since)}`}>
          Its provider refuses to serve us there until something is done about it. Other models answer meanwhile.
        </Banner>
      )}
      <div className="grid gap-1.5">
        <AvailabilityStrip stretches={offer.availability} detailed className="h-8" />
        <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
          <span>{describeDay(offer.availability)}</span>
          <span>24 h ago to now, by quarters of an hour</span>
        </p>
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        <Figure label="Latency, last hour" value={live.latency_ms === null ? none : formatMs(live.latency_ms)} />
        <Figure
          label="First token, last hour"
          value={live.first_token_ms === null ? none : formatMs(live.first_token_ms)}
        />
        <Figure
          label="Tokens per second, last hour"
          value={live.tokens_per_second === null ? none : formatNumber(live.tokens_per_second)}
        />
        <Figure
          label="Error rate, last hour"
          value={
            live.calls === 0
              ? none
              : `${formatPercent(live.error_rate)} of ${formatNumber(live.calls)} ${live.calls === 1 ? "call" : "calls"}`
          }
        />
      </dl>
      <KeyValue
        items={[
          { label: "Price in credits", value: <Price offer={offer} /> },
          { label: "Declared quality", value: performance.accuracy_score ?? undefined },
          {
            label: "Declared latency",
            value: performance.avg_latency_ms === null ? undefined : formatMs(performance.avg_latency_ms),
          },
          {
            label: "Context window",
            value: offer.context_window === null ? undefined : `${formatNumber(offer.context_window)} tokens`,
          },
          {
            label: "Longest answer",
            value: offer.max_output_tokens === null ? undefined : `${formatNumber(offer.max_output_tokens)} tokens`,
          },
          { label: "Streaming", value: offer.streaming ? "Yes" : "No, the answer comes in one piece" },
          { label: "Capabilities", value: offer.capabilities.join(", ") || undefined },
          { label: "Specialties", value: offer.specialties.join(", ") || undefined },
          {
            label: "Here since",
            value: offer.created_at === null ? "Built in" : <Time at={offer.created_at} form="date" />,
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
      <dd className="font-medium">{value ?? "Not known"}</dd>
    </div>
  );
}

function Price({ offer }: { readonly offer: WholeOffer }) {
  const lines = priceLines(offer.pricing);
  if (lines.length === 0) return <>Free</>;
  return (
    <ul>
      {lines.map((line) => (
        <li key={line.label}>
          <Money credits={line.credits} />{" "}
          <span className="text-muted">
            {line.label.toLowerCase()}, per {line.per}
          </span>
        </li>
      ))}
    </ul>
  );
}
