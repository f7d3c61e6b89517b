import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { bucketEdges, countBuckets, INTERVALS, type Interval, pickInterval } from "@trunkline/core/time-zone.ts";
import { SERIES_GROUPS, SERIES_MEASURES, type SeriesGrouping, USAGE_GROUPS } from "@trunkline/core/usage-groups.ts";
import { isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { z } from "zod";
import type { Services, UsageReaders } from "../../../app/services.ts";
import type { UsageRange } from "../../../store/usage/usage-query.ts";
import {
  timeZoneOf,
  toUsageFilter,
  toUsageRange,
  usageFilterQuery,
  usageRangeQuery,
} from "../../requests/usage-range.ts";
import { toCsv, wantsCsv } from "../../responses/list-response.ts";
import {
  latencyResponseSchema,
  toLatencySeries,
  toUsageSeries,
  toUsageSums,
  USAGE_SUM_COLUMNS,
  usageSeriesResponseSchema,
  usageSumFields,
} from "../../responses/usage-series.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";
import { answerFromPast } from "./answer-from-past.ts";

/** The most buckets of one range: more than any chart shows, few enough for one response. */
const BUCKETS_MAX = 1_000;

const seriesQuery = usageRangeQuery.extend(usageFilterQuery.shape).extend({
  interval: z
    .enum([...INTERVALS, "auto"])
    .default("auto")
    .describe("What the range is cut into, in the time zone. Weeks begin on Monday."),
  group_by: z.enum(SERIES_GROUPS).default("none"),
});

const readUsageSeries = controlEndpoint({
  method: "GET",
  path: "/v1/usage/series",
  permission: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "Usage over time",
  description:
    "One row for each hour, day, week or month that the range touches, also where nothing was used, and the sums of them all, which are those of `/v1/usage/breakdown` in the same range. CSV with `Accept: text/csv`, one line for each part and group.",
  faults: [],
  query: seriesQuery.extend({
    top_by: z.enum(SERIES_MEASURES).default("cost").describe("By what the groups with a name are chosen."),
  }),
  alternativeContentTypes: ["text/csv"],
  response: usageSeriesResponseSchema,
  handle({ services, caller, query, request }) {
    return answerFromPast(services, async ({ usageSeries }) => {
      const span = await seriesRange(services, usageSeries, caller, query);
      const points = await usageSeries.points(caller.accountId, {
        range: span.range,
        starts: span.edges.slice(0, -1),
        grouping: query.group_by,
        topBy: query.top_by,
        filter: toUsageFilter(query),
      });
      const nameOf = await groupNames(services, usageSeries, caller, query.group_by, points);
      const series = toUsageSeries(span.edges, points, query.group_by !== "none", nameOf);
      if (wantsCsv(request)) return new Reply(200, seriesCsv(query.group_by, series), "text/csv; charset=utf-8");
      return { ...span.rangeFields, group_by: query.group_by, ...series, next_cursor: null };
    });
  },
});

const readLatency = controlEndpoint({
  method: "GET",
  path: "/v1/usage/latency",
  permission: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "How long answers took, over time",
  description:
    "From arrival to the end of the answer, of requests that were answered. Where the account has more than 50,000 requests in the range, a sample of them is measured, drawn evenly by their ids: `sampled` says so, `one_in` how many it stands for.",
  faults: [],
  query: seriesQuery,
  response: latencyResponseSchema,
  handle({ services, caller, query }) {
    return answerFromPast(services, async ({ usageSeries, latencySeries }) => {
      const { edges, range, rangeFields } = await seriesRange(services, usageSeries, caller, query);
      const { oneIn, rows } = await latencySeries.read(caller.accountId, {
        from: range.from ?? new Date(edges[0] ?? 0),
        to: range.to ?? new Date(edges.at(-1) ?? 0),
        starts: edges.slice(0, -1),
        grouping: query.group_by,
        filter: toUsageFilter(query),
      });
      const nameOf = await groupNames(services, usageSeries, caller, query.group_by, rows);
      return {
        ...rangeFields,
        group_by: query.group_by,
        sampled: oneIn > 1,
        one_in: oneIn,
        ...toLatencySeries(edges, rows, nameOf),
        next_cursor: null,
      };
    });
  },
});

/** A range, the edges of its buckets, and its response fields. An open start is the account's first use, an open end now. */
async function seriesRange(
  services: Services,
  usageSeries: UsageReaders["usageSeries"],
  caller: Caller,
  query: z.output<typeof seriesQuery>,
): Promise<{
  readonly range: UsageRange;
  readonly edges: readonly number[];
  readonly rangeFields: {
    readonly from: string | null;
    readonly to: string | null;
    readonly timezone: string;
    readonly interval: Interval;
  };
}> {
  const range = toUsageRange(query, caller);
  const timezone = timeZoneOf(query, caller);
  const now = services.clock.now();
  const since = range.from ?? (await usageSeries.firstUse(caller.accountId));
  const from = since?.getTime() ?? Math.min(now, range.to?.getTime() ?? now);
  const to = range.to?.getTime() ?? Math.max(now, from + 1);
  const interval = query.interval === "auto" ? pickInterval(from, to) : query.interval;
  if (countBuckets(from, to, interval) > BUCKETS_MAX) {
    const param = query.interval === "auto" ? "from" : "interval";
    throw new Fault(
      "invalid_request",
      `This range has more than ${BUCKETS_MAX} ${interval}s. Ask for a longer interval or a shorter range.`,
      { param },
    );
  }
  return {
    range,
    edges: from < to ? bucketEdges(from, to, interval, timezone) : [],
    rangeFields: {
      from: range.from?.toISOString() ?? null,
      to: range.to?.toISOString() ?? null,
      timezone,
      interval,
    },
  };
}

/** Keys are shown by their names, models by their full names, and all other groups by their ids. */
async function groupNames(
  services: Services,
  usageSeries: UsageReaders["usageSeries"],
  caller: Caller,
  grouping: SeriesGrouping,
  rows: readonly { readonly group: string | null }[],
): Promise<(group: string) => string> {
  if (grouping === "model") return modelNames(services, caller);
  if (grouping !== "key") return (group) => group;
  const ids = new Set(rows.flatMap(({ group }) => group ?? []));
  const names = await usageSeries.keyNames(caller.accountId, [...ids]);
  return (id) => names.get(id) ?? id;
}

/** `provider/name` where one provider alone has a model of this name: usage is summed by the name. */
function modelNames(services: Services, caller: Caller): (name: string) => string {
  const catalogue = services.providers.providerKeys.catalogueFor(caller);
  return (name) => {
    const models = catalogue.byName(name).filter((model) => isVisible(model, caller));
    const fullNames = new Set(models.map(fullNameOf));
    const [first = name] = fullNames;
    return fullNames.size === 1 ? first : name;
  };
}

function seriesCsv(grouping: SeriesGrouping, { groups, data }: ReturnType<typeof toUsageSeries>): string {
  if (grouping === "none") {
    const rows = data.map((row) => ({
      start: row.start,
      end: row.end,
      requests: row.requests,
      errors: row.errors,
      input_tokens: row.input_tokens,
      output_tokens: row.output_tokens,
      cost: row.cost,
    }));
    return toCsv(["start", "end", ...USAGE_SUM_COLUMNS], rows);
  }
  const names = new Map(groups.map(({ group, name }) => [group, name]));
  const rows = data.flatMap(({ start, end, groups: parts }) =>
    parts.map(({ group, ...part }) => ({
      start,
      end,
      [grouping]: group ?? "(other)",
      ...(grouping === "key" ? { key_name: names.get(group) ?? "" } : {}),
      ...part,
    })),
  );
  const named = grouping === "key" ? ["key", "key_name"] : [grouping];
  return toCsv(["start", "end", ...named, ...USAGE_SUM_COLUMNS], rows);
}

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
  handle({ services, caller, query }) {
    return answerFromPast(services, async ({ reader }) => {
      const total = await reader.total(caller.accountId, toUsageRange(query, caller));
      return { requests: Number(total?.requests ?? 0n), cost: toCredits(total?.cost ?? 0n) };
    });
  },
});

const readBreakdown = controlEndpoint({
  method: "GET",
  path: "/v1/usage/breakdown",
  permission: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "Usage by day, model, key, task, provider or tag",
  description:
    "Rows named by what they are grouped by; a key's has its `key_name` as well, a model's its `model_name`: `provider/name` where one provider alone has it. CSV with `Accept: text/csv`.",
  faults: [],
  query: usageRangeQuery.extend(usageFilterQuery.shape).extend({ group_by: z.enum(USAGE_GROUPS).default("day") }),
  alternativeContentTypes: ["text/csv"],
  response: z.object({
    group_by: z.enum(USAGE_GROUPS),
    data: z.array(z.object(usageSumFields).catchall(z.string())),
    next_cursor: z.null(),
  }),
  handle({ services, caller, query, request }) {
    return answerFromPast(services, async ({ reader }) => {
      const groups = await reader.breakdown(
        caller.accountId,
        query.group_by,
        toUsageRange(query, caller),
        timeZoneOf(query, caller),
        toUsageFilter(query),
      );
      const nameOf = modelNames(services, caller);
      const data = groups.map((row) => ({
        [query.group_by]: row.group,
        ...(query.group_by === "key" ? { key_name: row.key_name ?? "" } : {}),
        ...(query.group_by === "model" ? { model_name: nameOf(row.group) } : {}),
        ...toUsageSums(row),
      }));
      if (!wantsCsv(request)) return { group_by: query.group_by, data, next_cursor: null };
      const names = query.group_by === "key" ? ["key", "key_name"] : [query.group_by];
      return new Reply(200, toCsv([...names, ...USAGE_SUM_COLUMNS], data), "text/csv; charset=utf-8");
    });
  },
});

export const usageEndpoints: readonly Endpoint[] = [readUsage, readBreakdown, readUsageSeries, readLatency];
