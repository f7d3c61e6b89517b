import { useQuery } from "@tanstack/react-query";
import { ChartColumn } from "lucide-react";
import { useMemo, useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../../ui/chart.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatDateTime, formatDay, formatMoney, formatMs, formatNumber, formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { type Traffic, trafficQuery } from "./provider-queries.ts";
import { fillTimes } from "./traffic-times.ts";

const TEXTS = texts.providers.trafficSection;

const INTERVALS = [
  { value: "day", label: TEXTS.days },
  { value: "hour", label: TEXTS.daysByHour },
] as const;
type Interval = (typeof INTERVALS)[number]["value"];

/** What clients had of the model, and what they paid. */
export function TrafficSection({ name }: { readonly name: string }) {
  const [interval, setInterval] = useState<Interval>("day");
  const traffic = useQuery(trafficQuery(interval, name));
  return (
    <Section
      title={TEXTS.trafficAndEarnings}
      description={TEXTS.ofAllClientsTogether}
      actions={<Segmented label={TEXTS.spanOfTime} value={interval} onValueChange={setInterval} options={INTERVALS} />}
    >
      {traffic.isPending && (
        <div role="status" aria-busy="true">
          <span className="sr-only">{TEXTS.loadingTheTraffic}</span>
          <Skeleton className="h-64 w-full" />
        </div>
      )}
      {traffic.isError && <ErrorState error={traffic.error} onRetry={() => traffic.refetch()} />}
      {traffic.isSuccess &&
        (traffic.data.data.length === 0 ? (
          <EmptyState icon={<ChartColumn />} title={TEXTS.noTrafficInThis}>
            {TEXTS.onceClientsUseThe}
          </EmptyState>
        ) : (
          <TrafficShown traffic={traffic.data} />
        ))}
    </Section>
  );
}

function TrafficShown({ traffic }: { readonly traffic: Traffic }) {
  const { totals, timezone } = traffic;
  const calls = totals.requests + totals.errors;
  const times = useMemo(() => fillTimes(traffic), [traffic]);
  const writeTime = (at: Date) => (traffic.interval === "day" ? formatDay(at, timezone) : formatDateTime(at, timezone));
  const shared = { times: times.moments, zone: timezone, formatTime: writeTime, heightPx: 180 };
  return (
    <>
      <StatRow>
        <Stat label={TEXTS.earnings} value={<Money credits={totals.earnings} />} />
        <Stat
          label={TEXTS.answeredRequests}
          value={formatNumber(totals.requests)}
          hint={calls === 0 ? undefined : TEXTS.failed(formatPercent(totals.errors / calls))}
        />
        <Stat
          label={TEXTS.tokens}
          value={formatNumber(totals.input_tokens + totals.output_tokens)}
          hint={TEXTS.inOut(formatNumber(totals.input_tokens), formatNumber(totals.output_tokens))}
        />
        <Stat
          label={TEXTS.timeOfAnAnswer}
          value={totals.average_latency_ms === null ? TEXTS.notMeasured : formatMs(totals.average_latency_ms)}
          hint={TEXTS.onAverageAsClients}
        />
      </StatRow>
      <div className="grid min-w-0 gap-4 lg:grid-cols-2">
        <Card>
          <h3 className="mb-2 font-medium">{TEXTS.requests}</h3>
          <Chart
            label={TEXTS.answeredAndFailedRequests}
            kind="bar"
            stacked
            {...shared}
            series={times.requests}
            formatValue={formatNumber}
          />
        </Card>
        <Card>
          <h3 className="mb-2 font-medium">{TEXTS.earningsInCredits}</h3>
          <Chart
            label={TEXTS.earningsInCredits2}
            kind="bar"
            {...shared}
            series={times.earnings}
            formatValue={formatMoney}
          />
        </Card>
        <Card className="lg:col-span-2">
          <h3 className="mb-2 font-medium">{TEXTS.averageTimeOfAn}</h3>
          <Chart label={TEXTS.averageTimeOfAn2} {...shared} series={times.latency} formatValue={formatMs} />
        </Card>
      </div>
    </>
  );
}
