import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { UsageRow } from "../../store/usage/records.ts";
import { NAMED_GROUPS, type SeriesPoint } from "../../store/usage/usage-series.ts";

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
    .describe(
      `Up to ${NAMED_GROUPS}, the largest first, and last all others together. Empty with \`group_by=none\`.`,
    ),
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
export function addUsage(rows: readonly UsageRow[]): UsageRow {
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
export function edgeTimeAt(edges: readonly number[], index: number): string {
  return new Date(edges[index] ?? 0).toISOString();
}
