import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { type LatencyRow, NAMED_GROUPS, type SeriesPoint } from "../../store/usage/time-series.ts";
import type { UsageRow } from "../../store/usage/usage-reader.ts";

/** What is summed, on the wire. */
export const usageSumFields = {
  requests: z.number(),
  errors: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost: z.number(),
};

/** The same as columns of a CSV file. */
export const USAGE_SUM_COLUMNS = Object.keys(usageSumFields);

/** Sums on the wire. */
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
  name: z.string().describe("For people: a key's name; otherwise as `group`."),
};

/** A series on the wire. */
export const usageSeriesResponseSchema = z.object({
  from: z.string().nullable().describe("The first moment that counts; null: from the first request on."),
  to: z.string().nullable().describe("The first moment that does not; null: up to now."),
  timezone: z.string(),
  interval: z.enum(["hour", "day", "week", "month"]),
  group_by: z.enum(["none", "model", "key", "task", "provider"]),
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

/** Sums of sums. What is exact stays exact: money is added before it is written as a number. */
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

/** The parts of a series with their groups, and the groups and the whole over all parts. */
export function toUsageSeries(
  edges: readonly number[],
  pieces: readonly SeriesPoint[],
  isGrouped: boolean,
  nameOf: (group: string) => string,
) {
  const places = [...new Set(pieces.map(({ place }) => place ?? NAMED_GROUPS + 1))].sort((a, b) => a - b);
  const groups = places.map((place) => {
    const ofGroup = pieces.filter((piece) => (piece.place ?? NAMED_GROUPS + 1) === place);
    const group = ofGroup[0]?.group ?? null;
    return { group, name: group === null ? "other" : nameOf(group), ...toUsageSums(addUsage(ofGroup)) };
  });
  const byBucket: SeriesPoint[][] = edges.slice(0, -1).map(() => []);
  for (const piece of pieces) byBucket[piece.bucket - 1]?.push(piece);
  return {
    groups: isGrouped ? groups : [],
    data: byBucket.map((parts, index) => ({
      start: edgeTimeAt(edges, index),
      end: edgeTimeAt(edges, index + 1),
      ...toUsageSums(addUsage(parts)),
      groups: isGrouped ? parts.map((part) => ({ group: part.group, ...toUsageSums(part) })) : [],
    })),
    total: toUsageSums(addUsage(pieces)),
  };
}

/** The moment of an edge on the wire. */
function edgeTimeAt(edges: readonly number[], index: number): string {
  return new Date(edges[index] ?? 0).toISOString();
}

const latencyFields = {
  requests: z.number().describe("How many were measured."),
  p50: z.number().nullable().describe("Half of the answers took no longer, in milliseconds. null: none was measured."),
  p95: z.number().nullable().describe("95 of 100 answers took no longer."),
  mean: z.number().nullable(),
};
const latencyGroupSchema = z.string().nullable().describe("null: all other groups together.");

/** Latencies on the wire. */
export const latencyResponseSchema = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  timezone: z.string(),
  interval: z.enum(["hour", "day", "week", "month"]),
  group_by: z.enum(["none", "model", "key", "task", "provider"]),
  sampled: z.boolean().describe("Not every request was measured."),
  one_in: z.number().describe("One in so many was; 1: all of them."),
  groups: z
    .array(z.object({ group: latencyGroupSchema, name: z.string(), ...latencyFields }))
    .describe("Up to 8, those with most requests first, and last all others together."),
  data: z.array(
    z.object({
      start: z.string(),
      end: z.string(),
      ...latencyFields,
      groups: z.array(z.object({ group: latencyGroupSchema, ...latencyFields })),
    }),
  ),
  total: z.object(latencyFields).describe("Of the whole range: percentiles can't be summed."),
  next_cursor: z.null(),
});

/** How long answers took, for each part of a range and for all of it. */
export function toLatencySeries(
  edges: readonly number[],
  rows: readonly LatencyRow[],
  nameOf: (group: string) => string,
) {
  const ofAll = rows.filter(({ grouped }) => !grouped);
  const ofGroups = rows.filter(({ grouped }) => grouped);
  const partOf = (index: number) => ofAll.find(({ bucket }) => bucket === index + 1);
  return {
    groups: ofGroups
      .filter(({ bucket }) => bucket === null)
      .map((row) => ({
        group: row.group,
        name: row.group === null ? "other" : nameOf(row.group),
        ...toLatencyFields(row),
      })),
    data: edges.slice(0, -1).map((_, index) => ({
      start: edgeTimeAt(edges, index),
      end: edgeTimeAt(edges, index + 1),
      ...toLatencyFields(partOf(index)),
      groups: ofGroups
        .filter(({ bucket }) => bucket === index + 1)
        .map((row) => ({ group: row.group, ...toLatencyFields(row) })),
    })),
    total: toLatencyFields(ofAll.find(({ bucket }) => bucket === null)),
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
