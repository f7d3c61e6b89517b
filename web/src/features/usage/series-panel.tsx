import type { QueryOf } from "@trunkline/sdk";
import { useCallback, useMemo } from "react";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../../ui/chart.tsx";
import { formatCompact, formatMoney, formatMs, formatNumber } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
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

const TEXTS = texts.usage;

interface SeriesPanelProps {
  readonly metric: Metric;
  readonly by: Grouping;
  readonly series: Series;
  /** Only where latency is shown, and there already. */
  readonly latency: Latency | undefined;
  readonly isBusy: boolean;
  /** Draws latency by its logarithm. */
  readonly isLog: boolean;
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
  isLog,
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
  const title = TEXTS.chartTitles[metric];

  return (
    <>
      <Section
        title={title}
        actions={
          <>
            <Select<Grouping>
              label={TEXTS.groupBy}
              value={by}
              onValueChange={(value) => onChange({ by: value })}
              options={GROUPINGS.filter((value) => value !== "tag" || asked.tag !== undefined).map((value) => ({
                value,
                label: TEXTS.groupings[value],
              }))}
              className="w-36"
            />
            <Select<IntervalChoice>
              label={TEXTS.interval}
              value={(asked.interval ?? "auto") as IntervalChoice}
              onValueChange={(value) => onChange({ interval: value })}
              options={INTERVALS.map((value) => ({ value, label: TEXTS.intervals[value] }))}
              className="w-36"
            />
          </>
        }
      >
        <Segmented<Metric>
          label={TEXTS.metric}
          value={metric}
          onValueChange={(value) => onChange({ metric: value })}
          options={METRICS.map((value) => ({ value, label: TEXTS.metrics[value] }))}
          className="justify-self-start"
        />
        {isLatency && (
          <div className="justify-self-start">
            <Switch
              label={TEXTS.logScale}
              checked={isLog}
              onCheckedChange={(isOn) => onChange({ scale: isOn ? undefined : "linear" })}
            />
          </div>
        )}
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
                scale={isLatency && isLog ? "log" : "linear"}
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
          title={TEXTS.data}
          description={TEXTS.timesIn(timezone)}
          actions={!isLatency && <CsvButton operation="GET /v1/usage/series" query={asked} file="usage-series" />}
        >
          <FigureTable
            label={TEXTS.dataOf(title)}
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
  const measured = sampled ? TEXTS.sampled(formatNumber(one_in), total.requests) : TEXTS.allMeasured(total.requests);
  return isGrouped ? `${measured} ${TEXTS.eachP95}` : measured;
}
