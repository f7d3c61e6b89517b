import { toCredits } from "@trunkline/core/money.ts";
import { INTERVALS } from "@trunkline/core/time-zone.ts";
import { NAMED_GROUPS, SERIES_GROUPS } from "@trunkline/core/usage-groups.ts";
import { z } from "zod";
import type { LatencyRow, SeriesPoint } from "../../store/usage/time-series.ts";
import type { UsageRow } from "../../store/usage/usage-columns.ts";

export const usageSumFields = {
  requests: z.number(),
  errors: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost: z.number(),
};

/** Their CSV columns. */
export const USAGE_SUM_COLUMNS = Object.keys(usageSumFields);

export function toUsageSums(row: UsageRow) {
  return {
    requests: Number(row.requests),
    errors: Number(row.errors),
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cost: toCredits(row.cost),
  };
}

const groupFields = {
  group: z.string().nullable().describe("null: all other groups together."),
  name: z
    .string()
    .describe("For people: a key's name, a model's full name where one provider alone has it; otherwise as `group`."),
};

export const usageSeriesResponseSchema = z.object({
  from: z.string().nullable().describe("The first moment that counts; null: from the first request on."),
  to: z.string().nullable().describe("The first moment that does not; null: up to now."),
  timezone: z.string(),
  interval: z.enum(INTERVALS),
  group_by: z.enum(SERIES_GROUPS),
  groups: z
    .array(z.object({ ...groupFields, ...usageSumFields }))
    .describe(`Up to ${NAMED_GROUPS}, the largest first, and last all others together. Empty with \`group_by=none\`.`),
  data: z.array(
    z.object({
      start: z.string(),
      end: z.string(),
      ...usageSumFields,
      groups: z
        .array(z.object({ group: groupFields.group, ...usageSumFields }))
        .describe("Those that were used in this part of the range."),
    }),
  ),
  total: z.object(usageSumFields).describe("Exactly the sum of `data`."),
  next_cursor: z.null(),
});

const NO_USAGE: UsageRow = { requests: 0n, errors: 0n, input_tokens: 0n, output_tokens: 0n, cost: 0n };

/** Adds rows before the cost becomes a number, so that money stays exact. */
function addUsage(rows: readonly UsageRow[]): UsageRow {
  return rows.reduce(
    (sum, row) => ({
      requests: sum.requests + row.requests,
      errors: sum.errors + row.errors,
      input_tokens: sum.input_tokens + row.input_tokens,
      output_tokens: sum.output_tokens + row.output_tokens,
      cost: sum.cost + row.cost,
    }),
    NO_USAGE,
  );
}

/** The buckets of a series with their groups, the totals of each group, and the total of all. */
export function toUsageSeries(
  edges: readonly number[],
  points: readonly SeriesPoint[],
  isGrouped: boolean,
  nameOf: (group: string) => string,
) {
  const places = [...new Set(points.map(({ place }) => place ?? NAMED_GROUPS + 1))].sort((a, b) => a - b);
  const groups = places.map((place) => {
    const groupPoints = points.filter((point) => (point.place ?? NAMED_GROUPS + 1) === place);
    const group = groupPoints[0]?.group ?? null;
    return { group, name: group === null ? "other" : nameOf(group), ...toUsageSums(addUsage(groupPoints)) };
  });
  const byBucket: SeriesPoint[][] = edges.slice(0, -1).map(() => []);
  for (const point of points) byBucket[point.bucket - 1]?.push(point);
  return {
    groups: isGrouped ? groups : [],
    data: byBucket.map((bucketPoints, index) => ({
      start: edgeTimeAt(edges, index),
      end: edgeTimeAt(edges, index + 1),
      ...toUsageSums(addUsage(bucketPoints)),
      groups: isGrouped ? bucketPoints.map((point) => ({ group: point.group, ...toUsageSums(point) })) : [],
    })),
    total: toUsageSums(addUsage(points)),
  };
}

function edgeTimeAt(edges: readonly number[], index: number): string {
  return new Date(edges[index] ?? 0).toISOString();
}

const latencyFields = {
  requests: z.number().describe("How many were measured."),
  p50: z.number().nullable().describe("Half of the answers took no longer, in milliseconds. null: none was measured."),
  p95: z.number().nullable().describe("95 of 100 answers took no longer."),
  mean: z.number().nullable(),
};

export const latencyResponseSchema = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  timezone: z.string(),
  interval: z.enum(INTERVALS),
  group_by: z.enum(SERIES_GROUPS),
  sampled: z.boolean().describe("Not every request was measured."),
  one_in: z.number().describe("One in so many was; 1: all of them."),
  groups: z
    .array(z.object({ group: groupFields.group, name: z.string(), ...latencyFields }))
    .describe("Up to 8, those with most requests first, and last all others together."),
  data: z.array(
    z.object({
      start: z.string(),
      end: z.string(),
      ...latencyFields,
      groups: z.array(z.object({ group: groupFields.group, ...latencyFields })),
    }),
  ),
  total: z.object(latencyFields).describe("Of the whole range: percentiles can't be summed."),
  next_cursor: z.null(),
});

/** The latencies of each bucket and of the whole range, by group. */
export function toLatencySeries(
  edges: readonly number[],
  rows: readonly LatencyRow[],
  nameOf: (group: string) => string,
) {
  const totals = rows.filter(({ grouped }) => !grouped);
  const groups = rows.filter(({ grouped }) => grouped);
  return {
    groups: groups
      .filter(({ bucket }) => bucket === null)
      .map((row) => ({
        group: row.group,
        name: row.group === null ? "other" : nameOf(row.group),
        ...toLatencyFields(row),
      })),
    data: edges.slice(0, -1).map((_, index) => ({
      start: edgeTimeAt(edges, index),
      end: edgeTimeAt(edges, index + 1),
      ...toLatencyFields(totals.find(({ bucket }) => bucket === index + 1)),
      groups: groups
        .filter(({ bucket }) => bucket === index + 1)
        .map((row) => ({ group: row.group, ...toLatencyFields(row) })),
    })),
    total: toLatencyFields(totals.find(({ bucket }) => bucket === null)),
  };
}

function toLatencyFields(row: LatencyRow | undefined) {
  if (row === undefined) return { requests: 0, p50: null, p95: null, mean: null };
  return {
    requests: Number(row.requests),
    p50: roundToTenth(row.p50),
    p95: roundToTenth(row.p95),
    mean: roundToTenth(row.mean),
  };
}

function roundToTenth(ms: number): number {
  return Math.round(ms * 10) / 10;
}
