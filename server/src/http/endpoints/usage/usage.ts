import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { USAGE_GROUPS } from "../../../store/usage/records.ts";
import { filterQuery, rangeOf, rangeQuery, usageFilterOf, zoneOf } from "../../requests/usage-range.ts";
import { csvOf, wantsCsv } from "../../responses/csv.ts";
import { SUM_COLUMNS, sums, sumsOf } from "../../responses/show-usage.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";
import { usageSeriesEndpoints } from "./usage-series.ts";

const readUsage = control({
  method: "GET",
  path: "/v1/usage",
  power: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "Requests and cost of the account",
  description: "Answered requests, and what they cost. Of all time, or of a range of time.",
  faults: [],
  query: rangeQuery,
  answer: z.object({ requests: z.number(), cost: z.number() }),
  async handle({ house, caller, query }) {
    const total = await house.records.total(caller.accountId, rangeOf(query, caller));
    return { requests: Number(total?.requests ?? 0n), cost: toCredits(total?.cost ?? 0n) };
  },
});

const readBreakdown = control({
  method: "GET",
  path: "/v1/usage/breakdown",
  power: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "Usage by day, model, key, task or provider",
  description:
    "Rows named by what they are grouped by; a key's has its `key_name` as well. CSV with `Accept: text/csv`.",
  faults: [],
  query: rangeQuery.extend(filterQuery.shape).extend({ group_by: z.enum(USAGE_GROUPS).default("day") }),
  alternatives: ["text/csv"],
  answer: z.object({
    group_by: z.enum(USAGE_GROUPS),
    data: z.array(z.object(sums).catchall(z.string())),
    next_cursor: z.null(),
  }),
  async handle({ house, caller, query, request }) {
    const groups = await house.records.breakdown(
      caller.accountId,
      query.group_by,
      rangeOf(query, caller),
      zoneOf(query, caller),
      usageFilterOf(query),
    );
    const data = groups.map((row) => ({
      [query.group_by]: row.group,
      ...(query.group_by === "key" ? { key_name: row.key_name ?? "" } : {}),
      ...sumsOf(row),
    }));
    if (!wantsCsv(request)) return { group_by: query.group_by, data, next_cursor: null };
    const names = query.group_by === "key" ? ["key", "key_name"] : [query.group_by];
    return new Reply(200, csvOf([...names, ...SUM_COLUMNS], data), "text/csv; charset=utf-8");
  },
});

export const usageEndpoints: readonly Endpoint[] = [readUsage, readBreakdown, ...usageSeriesEndpoints];
