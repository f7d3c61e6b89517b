import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import { USAGE_GROUPS } from "../../../store/usage/records.ts";
import {
  timeZoneOf,
  toUsageFilter,
  toUsageRange,
  usageFilterQuery,
  usageRangeQuery,
} from "../../requests/usage-range.ts";
import { toCsv, wantsCsv } from "../../responses/csv.ts";
import { toUsageSums, USAGE_SUM_COLUMNS, usageSumFields } from "../../responses/show-usage.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { usageSeriesEndpoints } from "./usage-series.ts";

const readUsage = controlEndpoint({
  method: "GET",
  path: "/v1/usage",
  permission: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "Requests and cost of the account",
  description: "Answered requests, and what they cost. Of all time, or of a range of time.",
  faults: [],
  query: usageRangeQuery,
  response: z.object({ requests: z.number(), cost: z.number() }),
  async handle({ services, caller, query }) {
    const total = await services.usageReader.total(caller.accountId, toUsageRange(query, caller));
    return { requests: Number(total?.requests ?? 0n), cost: toCredits(total?.cost ?? 0n) };
  },
});

const readBreakdown = controlEndpoint({
  method: "GET",
  path: "/v1/usage/breakdown",
  permission: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "Usage by day, model, key, task or provider",
  description:
    "Rows named by what they are grouped by; a key's has its `key_name` as well. CSV with `Accept: text/csv`.",
  faults: [],
  query: usageRangeQuery
    .extend(usageFilterQuery.shape)
    .extend({ group_by: z.enum(USAGE_GROUPS).default("day") }),
  alternativeContentTypes: ["text/csv"],
  response: z.object({
    group_by: z.enum(USAGE_GROUPS),
    data: z.array(z.object(usageSumFields).catchall(z.string())),
    next_cursor: z.null(),
  }),
  async handle({ services, caller, query, request }) {
    const groups = await services.usageReader.breakdown(
      caller.accountId,
      query.group_by,
      toUsageRange(query, caller),
      timeZoneOf(query, caller),
      toUsageFilter(query),
    );
    const data = groups.map((row) => ({
      [query.group_by]: row.group,
      ...(query.group_by === "key" ? { key_name: row.key_name ?? "" } : {}),
      ...toUsageSums(row),
    }));
    if (!wantsCsv(request)) return { group_by: query.group_by, data, next_cursor: null };
    const names = query.group_by === "key" ? ["key", "key_name"] : [query.group_by];
    return new Reply(200, toCsv([...names, ...USAGE_SUM_COLUMNS], data), "text/csv; charset=utf-8");
  },
});

export const usageEndpoints: readonly Endpoint[] = [readUsage, readBreakdown, ...usageSeriesEndpoints];
