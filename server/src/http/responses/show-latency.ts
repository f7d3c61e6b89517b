import { z } from "zod";
import type { LatencyRow } from "../../store/usage/latencies.ts";
import { edgeTimeAt } from "./show-usage.ts";

const latencyFields = {
  requests: z.number().describe("How many were measured."),
  p50: z
    .number()
    .nullable()
    .describe("Half of the answers took no longer, in milliseconds. null: none was measured."),
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
