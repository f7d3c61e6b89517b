import { toUnixNano } from "./otlp-json.ts";

/** A metric of prom-client as data. */
export interface MetricSample {
  readonly name: string;
  readonly help: string;
  /** Text, or prom-client's number of the type. */
  readonly type: unknown;
  readonly values: readonly MetricPoint[];
}

interface MetricPoint {
  readonly metricName?: string | undefined;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

const CUMULATIVE = 2;

/** Metrics as OTLP's JSON has them, under the names that they have at /metrics. */
export function toOtlpMetrics(metrics: readonly MetricSample[], startMs: number, nowMs: number): object[] {
  const times = { startTimeUnixNano: toUnixNano(startMs), timeUnixNano: toUnixNano(nowMs) };
  return metrics
    .filter(({ values }) => values.length > 0)
    .map(({ name, help, type, values }) => {
      const base = { name, description: help };
      switch (type) {
        case "counter":
          return {
            ...base,
            sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: values.map(toPoint(times)) },
          };
        case "histogram":
          return {
            ...base,
            histogram: { aggregationTemporality: CUMULATIVE, dataPoints: toHistograms(name, values, times) },
          };
        default:
          return { ...base, gauge: { dataPoints: values.map(toPoint(times)) } };
      }
    });
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

function toPoint(times: Times) {
  return ({ labels, value }: MetricPoint) => ({ attributes: toAttributes(labels), ...times, asDouble: value });
}

function toAttributes(labels: MetricPoint["labels"]) {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));
}

interface Histogram {
  readonly labels: MetricPoint["labels"];
  /** The bound and the count up to it, in ascending order. */
  readonly buckets: { readonly bound: number; readonly upTo: number }[];
  sum: number;
  count: number;
}

/** Prometheus counts all values up to a bound; OTLP counts those between two. */
function toHistograms(name: string, values: readonly MetricPoint[], times: Times) {
  const histograms = new Map<string, Histogram>();
  for (const { metricName, labels, value } of values) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    let histogram = histograms.get(key);
    if (histogram === undefined) {
      histogram = { labels: own, buckets: [], sum: 0, count: 0 };
      histograms.set(key, histogram);
    }
    if (metricName === `${name}_sum`) histogram.sum = value;
    else if (metricName === `${name}_count`) histogram.count = value;
    else if (le !== "+Inf") histogram.buckets.push({ bound: Number(le), upTo: value });
  }
  return [...histograms.values()].map(({ labels, buckets, sum, count }) => ({
    attributes: toAttributes(labels),
    ...times,
    count: String(count),
    sum,
    explicitBounds: buckets.map(({ bound }) => bound),
    bucketCounts: [...buckets.map(({ upTo }) => upTo), count].map((upTo, at) =>
      String(upTo - (at === 0 ? 0 : (buckets[at - 1]?.upTo ?? 0))),
    ),
  }));
}
