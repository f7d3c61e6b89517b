import type { AnswerOf } from "@trunkline/sdk";
import { texts } from "../../texts/texts.ts";
import type { ChartSeries } from "../../ui/chart-props.ts";
import { formatDay, formatHour, formatMoney, formatMonth, formatMs, formatNumber } from "../../ui/format.ts";
import type { Metric } from "./usage-search.ts";

export type Series = AnswerOf<"GET /v1/usage/series">;
export type Latency = AnswerOf<"GET /v1/usage/latency">;

/** One column of figures: what the chart draws and the table lists. */
export interface FigureColumn {
  readonly id: string;
  readonly label: string;
  /** One for each part of the range; null where there is nothing to measure. */
  readonly values: readonly (number | null)[];
  /** Over the whole range. */
  readonly total: number | null;
  /** The chart's colour; left out: the column is in the table alone. */
  readonly colour?: ChartSeries["colour"];
}

/** The figures of one metric over time: the chart and the table are both read off this. */
export interface SeriesView {
  readonly starts: readonly string[];
  readonly columns: readonly FigureColumn[];
}

/** The colours of groups by their place; the grey one is for all others together. */
const COLOURS = [1, 2, 3, 4, 5, 7, 8, 9] as const;
const GREY = 6;

type Sums = Series["total"];
const READ: Readonly<Record<Exclude<Metric, "latency">, (sums: Sums) => number>> = {
  cost: ({ cost }) => cost,
  requests: ({ requests }) => requests,
  tokens: ({ input_tokens, output_tokens }) => input_tokens + output_tokens,
  errors: ({ errors }) => errors,
};

const TEXTS = texts.usage;

/** The figures of a metric that can be summed. By group, the last column is the sum of the others; tokens show what they are made of. */
export function viewOfSeries(series: Series, metric: Exclude<Metric, "latency">): SeriesView {
  const starts = series.data.map(({ start }) => start);
  const read = READ[metric];
  const whole = (id: string, label: string, readSum: (sums: Sums) => number, colour?: FigureColumn["colour"]) => ({
    id,
    label,
    values: series.data.map(readSum),
    total: readSum(series.total),
    ...(colour === undefined ? {} : { colour }),
  });
  if (series.group_by === "none") {
    if (metric !== "tokens")
      return { starts, columns: [whole(metric, TEXTS.metrics[metric], read, metric === "errors" ? 5 : 1)] };
    return {
      starts,
      columns: [
        whole("input", TEXTS.inputTokens, ({ input_tokens }) => input_tokens, 1),
        whole("output", TEXTS.outputTokens, ({ output_tokens }) => output_tokens, 2),
        whole("total", TEXTS.total, read),
      ],
    };
  }
  const columns = series.groups.map((group, place): FigureColumn => {
    const ofGroup = series.data.map(({ groups }) => groups.find((part) => part.group === group.group));
    return {
      id: idOf(group.group),
      label: labelOf(group),
      values: ofGroup.map((part) => (part === undefined ? 0 : read(part))),
      total: read(group),
      colour: group.group === null ? GREY : COLOURS[place % COLOURS.length],
    };
  });
  return { starts, columns: [...tellApart(columns), whole("total", TEXTS.total, read)] };
}

/** The figures of how long answers took. By group, it is the 95th percentile of each. */
export function viewOfLatency(latency: Latency): SeriesView {
  const starts = latency.data.map(({ start }) => start);
  const whole = (id: "p50" | "p95" | "mean" | "requests", label: string, colour?: FigureColumn["colour"]) => ({
    id,
    label,
    values: latency.data.map((part) => part[id]),
    total: latency.total[id],
    ...(colour === undefined ? {} : { colour }),
  });
  if (latency.group_by === "none") {
    return {
      starts,
      columns: [
        whole("p50", TEXTS.p50, 1),
        whole("p95", TEXTS.p95, 3),
        whole("mean", TEXTS.mean),
        whole("requests", TEXTS.measured),
      ],
    };
  }
  const columns = latency.groups.map((group, place): FigureColumn => {
    const ofGroup = latency.data.map(({ groups }) => groups.find((part) => part.group === group.group));
    return {
      id: idOf(group.group),
      label: labelOf(group),
      values: ofGroup.map((part) => part?.p95 ?? null),
      total: group.p95,
      colour: group.group === null ? GREY : COLOURS[place % COLOURS.length],
    };
  });
  return { starts, columns: [...tellApart(columns), whole("p95", TEXTS.all)] };
}

/** What the chart is fed: the columns that have a colour, figure for figure. */
export function chartSeriesOf(view: SeriesView): ChartSeries[] {
  return view.columns.flatMap(({ label, values, colour }) => (colour === undefined ? [] : [{ label, values, colour }]));
}

/** How a figure of a column is written. */
export function writeFigure(value: number | null, metric: Metric, columnId = ""): string {
  if (value === null) return "–";
  if (metric === "cost") return formatMoney(value);
  return metric === "latency" && columnId !== "requests" ? formatMs(value) : formatNumber(value);
}

/** How the parts of a range are called. Where the clocks go back an hour comes twice: then the zone's name tells them apart. */
export function partNames(starts: readonly string[], interval: Series["interval"], zone: string): string[] {
  const names = starts.map((start) => partName(start, interval, zone));
  return names.map((name, index) => {
    const isTwin = names.indexOf(name) !== index || names.lastIndexOf(name) !== index;
    return isTwin ? `${name} ${zoneNameAt(starts[index] ?? "", zone)}` : name;
  });
}

function partName(start: string, interval: Series["interval"], zone: string): string {
  switch (interval) {
    case "hour":
      return formatHour(start, zone);
    case "day":
      return formatDay(start, zone);
    case "week":
      return TEXTS.weekOf(formatDay(start, zone));
    case "month":
      return formatMonth(start, zone);
  }
}

function zoneNameAt(start: string, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "short" }).formatToParts(
    new Date(start),
  );
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

const idOf = (group: string | null) => (group === null ? "other groups" : `group ${group}`);

/** What a group is called. Requests that no model answered have none. */
export function labelOf({ group, name }: { readonly group: string | null; readonly name: string }): string {
  if (group === null) return TEXTS.others;
  return name === "" ? TEXTS.noGroup : name;
}

/** Two keys may have one name: the end of the id tells them apart. */
function tellApart(columns: readonly FigureColumn[]): FigureColumn[] {
  return columns.map((column) =>
    columns.some((other) => other !== column && other.label === column.label)
      ? { ...column, label: `${column.label} (…${column.id.slice(-4)})` }
      : column,
  );
}
