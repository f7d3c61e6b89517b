import { useQuery } from "@tanstack/react-query";
import { texts } from "../../texts/texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatMs, formatNumber, formatPercent } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Section } from "../../ui/section.tsx";
import { HealthStrip } from "./health-strip.tsx";
import { availabilityQuery, type OwnModel, trafficQuery } from "./provider-queries.ts";

const TEXTS = texts.providers.healthSection;

const BREAKERS: Readonly<
  Record<OwnModel["health"]["breaker"], { readonly name: string; readonly tone: Tone; readonly words: string }>
> = {
  closed: { name: TEXTS.closed, tone: "positive", words: TEXTS.callsGoThrough },
  "half-open": { name: TEXTS.halfOpen, tone: "warning", words: TEXTS.oneCallAtA },
  ramping: {
    name: TEXTS.comingBack,
    tone: "warning",
    words: TEXTS.itAnsweredAgainAnd,
  },
  open: { name: TEXTS.open, tone: "danger", words: TEXTS.itFailedTooOften },
};

/** How the model does now and did in the last 24 hours. */
export function HealthSection({ model, name }: { readonly model: OwnModel; readonly name: string }) {
  const hours = useQuery(trafficQuery("hour", name));
  const days = useQuery(availabilityQuery(model.provider));
  const { health } = model;
  const breaker = BREAKERS[health.breaker];
  return (
    <Section title={TEXTS.health} description={TEXTS.fromRequestsOfThe}>
      <Card className="grid gap-5 lg:grid-cols-2">
        <div className="grid content-start gap-2">
          <h3 className="text-sm font-medium">{TEXTS.lastHours}</h3>
          <HealthStrip
            name={model.name}
            availability={days.data?.get(`${model.provider}/${model.name}`)}
            rows={hours.data?.data ?? []}
            now={Date.now()}
          />
          <p className="text-sm text-muted">{TEXTS.eachBarIsAn}</p>
        </div>
        <KeyValue
          items={[
            {
              label: TEXTS.circuitBreaker,
              value: (
                <span className="flex flex-wrap items-center gap-2">
                  <Badge tone={breaker.tone} dot>
                    {breaker.name}
                  </Badge>
                  <span className="text-sm text-muted">
                    {health.outage === null ? breaker.words : TEXTS.itsEndpointRefusesTo}
                  </span>
                </span>
              ),
            },
            { label: TEXTS.recentErrorRate, value: formatPercent(health.error_rate) },
            { label: TEXTS.callsMeasured, value: formatNumber(health.calls) },
            { label: TEXTS.timeOfAnAnswer, value: measured(health.latency_ms) },
            { label: TEXTS.toTheFirstPiece, value: measured(health.first_part_ms) },
            {
              label: TEXTS.output,
              value:
                health.tokens_per_second === null
                  ? TEXTS.notMeasuredYet
                  : TEXTS.tokensASecond(formatNumber(Math.round(health.tokens_per_second))),
            },
          ]}
        />
      </Card>
    </Section>
  );
}

function measured(ms: number | null): string {
  return ms === null ? TEXTS.notMeasuredYet : formatMs(ms);
}
