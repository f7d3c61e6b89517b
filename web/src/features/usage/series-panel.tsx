import type { QueryOf } from "@trunkline/sdk";
import { useCallback, useMemo } from "react";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../../ui/chart.tsx";
import { formatCompact, formatMoney, formatMs } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { CsvButton } from "./csv-button.tsx";
import { FigureTable } from "./figure-table.tsx";
import { chartSeriesOf, type Latency, partNames, type Series, viewOfLatency, viewOfSeries } from "./series-view.ts";
import {
  GROUPINGS,
  type Grouping,
  INTERVALS,
  type IntervalChoice,
  METRICS,
  type Metric,
  type UsageSearch,
} from "./usage-search.ts";

const METRIC_NAMES: Readonly<Record<Metric, string>> = {
  cost: "Cost",
  requests: "Requests",
  tokens: "Tokens",
  errors: "Errors",
  latency: "Latency",
};
const GROUPING_NAMES: Readonly<Record<Grouping, string>> = {
  none: "All together",
  model: "By model",
  key: "By key",
  task: "By task",
  provider: "By provider",
};
const INTERVAL_NAMES: Readonly<Record<IntervalChoice, string>> = {
  auto: "Best interval",
  hour: "Hours",
  day: "Days",
  week: "Weeks",
  month: "Months",
};

interface SeriesPanelProps {
  readonly metric: Metric;
  readonly by: Grouping;
  readonly series: Series;
  /** Only where latency is shown, and there already. */
  readonly latency: Latency | undefined;
  readonly isBusy: boolean;
  readonly asked: QueryOf<"GET /v1/usage/series">;
  readonly active: number | undefined;
  readonly onActiveChange: (index: number | undefined) => void;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}

/** One metric over time: the chart, and a table of the figures that it is drawn from. */
export function SeriesPanel({
  metric,
  by,
  series,
  latency,
  isBusy,
  asked,
  active,
  onActiveChange,
  onChange,
}: SeriesPanelProps) {
  const isLatency = metric === "latency";
  const view = useMemo(
    () => (isLatency ? latency && viewOfLatency(latency) : viewOfSeries(series, metric)),
    [isLatency, latency, series, metric],
  );
  const { interval, timezone } = isLatency ? (latency ?? series) : series;
  const names = useMemo(() => partNames(view?.starts ?? [], interval, timezone), [view, interval, timezone]);
  const drawn = useMemo(() => (view === undefined ? [] : chartSeriesOf(view)), [view]);
  const formatTime = useCallback(
    (at: Date) => names[view?.starts.findIndex((start) => Date.parse(start) === at.getTime()) ?? -1] ?? "",
    [names, view],
  );
  const title = `${METRIC_NAMES[metric]} over time`;

  return (
    <>
      <Section
        title={title}
        actions={
          <>
            <Select<Grouping>
              label="Group by"
              value={by}
              onValueChange={(value) => onChange({ by: value })}
              options={GROUPINGS.map((value) => ({ value, label: GROUPING_NAMES[value] }))}
              className="w-36"
            />
            <Select<IntervalChoice>
              label="Interval"
              value={(asked.interval ?? "auto") as IntervalChoice}
              onValueChange={(value) => onChange({ interval: value })}
              options={INTERVALS.map((value) => ({ value, label: INTERVAL_NAMES[value] }))}
              className="w-36"
            />
          </>
        }
      >
        <Segmented<Metric>
          label="Metric"
          value={metric}
          onValueChange={(value) => onChange({ metric: value })}
          options={METRICS.map((value) => ({ value, label: METRIC_NAMES[value] }))}
          className="justify-self-start"
        />
        <Card>
          {view === undefined ? (
            <Skeleton className="h-68 w-full" />
          ) : (
            <div aria-busy={isBusy || undefined} className={isBusy ? "opacity-60" : undefined}>
              <Chart
                label={`${title}.`}
                kind={isLatency ? "line" : "bar"}
                stacked={!isLatency}
                times={view.starts}
                series={drawn}
                formatValue={AXIS[metric]}
                formatTime={formatTime}
                zone={timezone}
                active={active}
                onActiveChange={onActiveChange}
                hasTable
              />
            </div>
          )}
          {isLatency && latency !== undefined && (
            <p className="mt-3 text-sm text-muted">{latencyNote(latency, by !== "none")}</p>
          )}
        </Card>
      </Section>
      {view !== undefined && (
        <Section
          title="The same as a table"
          description={`Times are in ${timezone}.`}
          actions={!isLatency && <CsvButton operation="GET /v1/usage/series" query={asked} name="usage-series" />}
        >
          <FigureTable
            label={`${title}, as a table`}
            view={view}
            names={names}
            ends={series.data.map(({ end }) => end)}
            metric={metric}
            asked={asked}
            active={active}
            onActiveChange={onActiveChange}
          />
        </Section>
      )}
    </>
  );
}

const AXIS: Readonly<Record<Metric, (value: number) => string>> = {
  cost: formatMoney,
  requests: formatCompact,
  tokens: formatCompact,
  errors: formatCompact,
  latency: formatMs,
};

function latencyNote({ sampled, one_in, total }: Latency, isGrouped: boolean): string {
  const measured = sampled
    ? `There are many: one answer in ${one_in.toLocaleString("en-US")} was measured, ${total.requests.toLocaleString("en-US")} in all.`
    : `All ${total.requests.toLocaleString("en-US")} answers were measured, from arrival to their end.`;
  return isGrouped ? `${measured} Each line is the time within which 95 % were answered.` : measured;
}
