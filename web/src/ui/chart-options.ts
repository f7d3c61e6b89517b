import uPlot from "uplot";
import type { ChartProps, ChartSeries } from "./chart-props.ts";
import { formatClock, formatDay } from "./format.ts";

/** The page's colours, worked out for a canvas. */
export interface Palette {
  readonly line: string;
  readonly text: string;
  readonly series: readonly string[];
}

interface ChartPlan {
  readonly kind: NonNullable<ChartProps["kind"]>;
  readonly stacked: boolean;
  readonly seconds: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly formatValue: (value: number) => string;
  readonly scale: NonNullable<ChartProps["scale"]>;
  readonly zone: string | undefined;
  readonly palette: Palette;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Called with the cursor, in pixels from the left edge; undefined when it leaves. */
  readonly onSpot: (index: number | undefined, left: number) => void;
}

const DAY_SECONDS = 86_400;
/** With more values than these, points would touch each other. */
const POINTS_UP_TO = 63;
/** The possible steps of the labels, in days, where each column is a day or more. */
const DAYS_APART = [1, 2, 3, 5, 7, 10, 14, 28, 60, 90, 180, 365, 730];
/** The shortest day there is, when clocks go forward. */
const SHORTEST_DAY_SECONDS = 23 * 3_600;

/** What uPlot needs to draw a chart. */
export function chartOptions(plan: ChartPlan): { options: uPlot.Options; data: uPlot.AlignedData } {
  // A logarithm has no place for nothing.
  const isDrawn = (value: number | null) => (plan.scale === "log" && value !== null && value <= 0 ? null : value);
  const sums = plan.stacked ? stack(plan.series) : plan.series.map(({ values }) => values.map(isDrawn));
  const drawn = plan.series.map((series, index) => ({ index, series, values: sums[index] ?? [] }));
  // What is stacked is drawn from the top of the pile down, each over the one before.
  if (plan.stacked) drawn.reverse();
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const axis: uPlot.Axis = {
    stroke: plan.palette.text,
    font,
    grid: { stroke: plan.palette.line, width: 1 },
    ticks: { show: false },
  };
  return {
    data: [[...plan.seconds], ...drawn.map(({ values }) => values)],
    options: {
      width: plan.widthPx,
      height: plan.heightPx,
      legend: { show: false },
      // Half of the last label of a line stands beyond its end.
      padding: [8, plan.kind === "bar" ? 8 : 28, 0, 0],
      cursor: { y: false, points: { show: plan.kind !== "bar" }, drag: { x: false, y: false } },
      scales: {
        x: { time: true, range: (_, min, max) => widen(min, max, plan) },
        y:
          plan.scale === "log"
            ? { distr: 3, log: 10, range: (_, min, max) => decadesAround(min, max) }
            : { range: (_, _min, max) => [0, max === 0 || !Number.isFinite(max) ? 1 : max * 1.08] },
      },
      ...(plan.zone === undefined
        ? {}
        : { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1e3), plan.zone ?? "UTC") }),
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 72,
          ...(isByDay(plan.seconds) ? { incrs: DAYS_APART.map((days) => days * DAY_SECONDS) } : {}),
          values: (_, splits, _axis, _space, step) => splits.map((at) => writeSplit(at, step, plan.zone)),
        },
        {
          ...axis,
          values: (_, splits) =>
            splits.map((value) => (value === null ? "" : plan.formatValue(Number(value.toPrecision(12))))),
          size: (_, values) => 18 + 7 * Math.max(2, ...(values ?? []).map(({ length }) => length)),
        },
      ],
      series: [{}, ...drawn.map(({ series, index }) => seriesOptions(series, index, plan))],
      hooks: {
        setCursor: [
          (plot) => {
            const { idx, left } = plot.cursor;
            const isInside = idx !== null && idx !== undefined && left !== undefined && left >= 0;
            const at = isInside ? plan.seconds[idx] : undefined;
            if (at === undefined || !isInside) plan.onSpot(undefined, 0);
            else plan.onSpot(idx, plot.valToPos(at, "x") + plot.over.offsetLeft);
          },
        ],
      },
    },
  };
}

/** The powers of ten around what is drawn. */
function decadesAround(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !(min > 0) || !Number.isFinite(max)) return [1, 10];
  const low = Math.floor(Math.log10(min));
  return [10 ** low, 10 ** Math.max(Math.ceil(Math.log10(max)), low + 1)];
}

function isByDay(seconds: readonly number[]): boolean {
  const [first, second] = seconds;
  return first !== undefined && second !== undefined && second - first >= SHORTEST_DAY_SECONDS;
}

function seriesOptions(series: ChartSeries, index: number, plan: ChartPlan): uPlot.Series {
  const colour = plan.palette.series[(series.colour ?? (index % 9) + 1) - 1] ?? plan.palette.text;
  const soft = colour.replace(/^rgb\((.*)\)$/, "rgba($1, 0.12)");
  const shared: uPlot.Series = {
    label: series.label,
    stroke: colour,
    width: 1.75,
    // A value between gaps has no line: it is seen as a point.
    points: { show: plan.seconds.length < POINTS_UP_TO, size: 5 },
  };
  if (plan.kind === "line") return shared;
  if (plan.kind === "area") return { ...shared, fill: plan.stacked ? colour : soft };
  const paths = uPlot.paths.bars?.({ size: [0.7, 48], radius: 0.12 });
  return {
    ...shared,
    width: 0,
    fill: colour,
    points: { show: false },
    ...(paths === undefined ? {} : { paths }),
  };
}

function stack(series: readonly ChartSeries[]): number[][] {
  const below: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      below[index] = (below[index] ?? 0) + (value ?? 0);
      return below[index];
    }),
  );
}

/** Bars need half their width at either side. */
function widen(min: number, max: number, { kind, seconds }: ChartPlan): [number, number] {
  const step = (seconds[1] ?? min + DAY_SECONDS) - (seconds[0] ?? min);
  const half = kind === "bar" || min === max ? step / 2 : 0;
  return [min - half, max + half];
}

function writeSplit(at: number, step: number, zone: string | undefined): string {
  const moment = at * 1_000;
  if (step >= 365 * DAY_SECONDS) return formatDay(moment, zone).slice(-4);
  return step >= DAY_SECONDS ? formatDay(moment, zone).replace(/ \d+$/, "") : formatClock(moment, zone);
}
