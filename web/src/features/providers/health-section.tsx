import { useQuery } from "@tanstack/react-query";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatMs, formatNumber, formatPercent } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { Section } from "../../ui/section.tsx";
import { HealthStrip } from "./health-strip.tsx";
import { availabilityQuery, type OwnModel, trafficQuery } from "./provider-queries.ts";

const BREAKERS: Readonly<
  Record<OwnModel["health"]["breaker"], { readonly name: string; readonly tone: Tone; readonly words: string }>
> = {
  closed: { name: "Closed", tone: "positive", words: "calls go through" },
  "half-open": { name: "Half open", tone: "warning", words: "one call at a time tries it again" },
  ramping: {
    name: "Coming back",
    tone: "warning",
    words: "it answered again and gets a growing share of the calls",
  },
  open: { name: "Open", tone: "danger", words: "it failed too often and is left alone for a while" },
};

/** How the model does now and did in the last 24 hours. */
export function HealthSection({ model, name }: { readonly model: OwnModel; readonly name: string }) {
  const hours = useQuery(trafficQuery("hour", name));
  const days = useQuery(availabilityQuery(model.provider));
  const { health } = model;
  const breaker = BREAKERS[health.breaker];
  return (
    <Section
      title="Health"
      description="From requests of the last 24 hours, and from what we measured since the service started."
    >
      <Card className="grid gap-5 lg:grid-cols-2">
        <div className="grid content-start gap-2">
          <h3 className="text-sm font-medium">Last 24 hours</h3>
          <HealthStrip
            name={model.name}
            availability={days.data?.get(`${model.provider}/${model.name}`)}
            rows={hours.data?.data ?? []}
            now={Date.now()}
          />
          <p className="text-sm text-muted">Each bar is an hour, now at the right. Shorter bars had failures.</p>
        </div>
        <KeyValue
          items={[
            {
              label: "Circuit breaker",
              value: (
                <span className="flex flex-wrap items-center gap-2">
                  <Badge tone={breaker.tone} dot>
                    {breaker.name}
                  </Badge>
                  <span className="text-sm text-muted">
                    {health.outage === null ? breaker.words : "its endpoint refuses to serve us"}
                  </span>
                </span>
              ),
            },
            { label: "Recent error rate", value: formatPercent(health.error_rate) },
            { label: "Calls measured", value: formatNumber(health.calls) },
            { label: "Time of an answer", value: measured(health.latency_ms) },
            { label: "To the first piece", value: measured(health.first_part_ms) },
            {
              label: "Output",
              value:
                health.tokens_per_second === null
                  ? "Not measured yet"
                  : `${formatNumber(Math.round(health.tokens_per_second))} tokens a second`,
            },
          ]}
        />
      </Card>
    </Section>
  );
}

function measured(ms: number | null): string {
  return ms === null ? "Not measured yet" : formatMs(ms);
}
