import { useQuery } from "@tanstack/react-query";
import { ChartColumn } from "lucide-react";
import { useMemo, useState } from "react";
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

const INTERVALS = [
  { value: "day", label: "30 days" },
  { value: "hour", label: "2 days, by hour" },
] as const;
type Interval = (typeof INTERVALS)[number]["value"];

/** What clients had of the model, and what they paid. */
export function TrafficSection({ name }: { readonly name: string }) {
  const [interval, setInterval] = useState<Interval>("day");
  const traffic = useQuery(trafficQuery(interval, name));
  return (
    <Section
      title="Traffic and earnings"
      description="Of all clients together. Earnings are what they paid at list price; payouts come later."
      actions={<Segmented label="Span of time" value={interval} onValueChange={setInterval} options={INTERVALS} />}
    >
      {traffic.isPending && (
        <div role="status" aria-busy="true">
          <span className="sr-only">Loading the traffic</span>
          <Skeleton className="h-64 w-full" />
        </div>
      )}
      {traffic.isError && <ErrorState error={traffic.error} onRetry={() => traffic.refetch()} />}
      {traffic.isSuccess &&
        (traffic.data.data.length === 0 ? (
          <EmptyState icon={<ChartColumn />} title="No traffic in this time">
            Once clients use the model, requests, tokens and earnings are shown here.
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
        <Stat label="Earnings" value={<Money credits={totals.earnings} />} />
        <Stat
          label="Answered requests"
          value={formatNumber(totals.requests)}
          hint={calls === 0 ? undefined : `${formatPercent(totals.errors / calls)} failed`}
        />
        <Stat
          label="Tokens"
          value={formatNumber(totals.input_tokens + totals.output_tokens)}
          hint={`${formatNumber(totals.input_tokens)} in, ${formatNumber(totals.output_tokens)} out`}
        />
        <Stat
          label="Time of an answer"
          value={totals.average_latency_ms === null ? "Not measured" : formatMs(totals.average_latency_ms)}
          hint="On average, as clients saw it"
        />
      </StatRow>
      <div className="grid min-w-0 gap-4 lg:grid-cols-2">
        <Card>
          <h3 className="mb-2 font-medium">Requests</h3>
          <Chart
            label="Answered and failed requests."
            kind="bar"
            stacked
            {...shared}
            series={times.requests}
            formatValue={formatNumber}
          />
        </Card>
        <Card>
          <h3 className="mb-2 font-medium">Earnings in credits</h3>
          <Chart
            label="Earnings in credits."
            kind="bar"
            {...shared}
            series={times.earnings}
            formatValue={formatMoney}
          />
        </Card>
        <Card className="lg:col-span-2">
          <h3 className="mb-2 font-medium">Average time of an answer</h3>
          <Chart label="Average time of an answer." {...shared} series={times.latency} formatValue={formatMs} />
        </Card>
      </div>
    </>
  );
}
