import { Fault } from "@trunkline/core/fault.ts";
import { isoDateSchema } from "@trunkline/core/field-schemas.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { isTimeZone, localDayAt, startOfLocalDay } from "@trunkline/core/time-zone.ts";
import { TRAFFIC_INTERVALS, type TrafficInterval } from "@trunkline/core/usage-groups.ts";
import { z } from "zod";
import type { TrafficRow } from "../../../store/usage/usage-reader.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const DAY_MS = 86_400_000;
/** The most days of one query, and the days of a query without `from`. */
const DAYS_MAX: Readonly<Record<TrafficInterval, number>> = { day: 400, hour: 31 };
const DAYS_DEFAULT: Readonly<Record<TrafficInterval, number>> = { day: 30, hour: 2 };

const trafficSumFields = {
  requests: z.number().describe("Answered requests."),
  errors: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  earnings: z.number().describe("What clients paid for these, in credits."),
  average_latency_ms: z.number().nullable().describe("Of answered requests, as clients saw it."),
};
const modelReferenceFields = { provider: z.string(), model: z.string() };

const readTraffic = controlEndpoint({
  method: "GET",
  path: "/v1/provider/traffic",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "Requests, errors, tokens and earnings of your models",
  description:
    "Of all clients together, by model and day or hour, the oldest first; buckets without any traffic are left out. Earnings are what clients paid at list price.",
  faults: ["not_found"],
  query: z.object({
    from: isoDateSchema
      .optional()
      .describe("The first day. Default: 30 days up to `to`, or two where hours are asked for."),
    to: isoDateSchema.optional().describe("The last day, which counts as well. Default: today."),
    timezone: z.string().optional().describe("The IANA zone of days and hours. Default: the account's own."),
    interval: z.enum(TRAFFIC_INTERVALS).default("day"),
    model: z.string().min(1).max(256).optional().describe("One of your own models; absent: all of them."),
  }),
  response: z.object({
    interval: z.enum(TRAFFIC_INTERVALS),
    timezone: z.string(),
    from: z.string().describe("The first moment."),
    to: z.string().describe("The first moment after."),
    totals: z.object(trafficSumFields),
    models: z
      .array(z.object({ ...modelReferenceFields, ...trafficSumFields }))
      .describe("The same by model, the most earning first."),
    data: z.array(z.object({ ...modelReferenceFields, start: z.string(), ...trafficSumFields })),
    next_cursor: z.null(),
  }),
  async handle({ services, caller, query }) {
    const timeZone = requireTimeZone(query.timezone ?? caller.timeZone);
    const span = toDayRange(query, timeZone, services.clock.now());
    const { interval } = query;
    const model =
      query.model === undefined ? undefined : await services.ledger.reconciler.findModel(caller, query.model);
    const providers = model === undefined ? await services.ledger.reconciler.providersOf(caller) : [model.provider];
    const rows = await services.usage.reader.traffic({
      providers,
      model: model?.name,
      interval,
      timeZone,
      ...span,
    });
    return {
      interval,
      timezone: timeZone,
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      totals: sumTraffic(rows),
      models: groupByModel(rows),
      data: rows.map((row) => ({
        provider: row.provider,
        model: row.model,
        start: row.start.toISOString(),
        ...sumTraffic([row]),
      })),
      next_cursor: null,
    };
  },
});

function requireTimeZone(name: string): string {
  if (isTimeZone(name)) return name;
  throw new Fault("invalid_request", "`timezone` must be an IANA zone, for example Europe/Berlin.", {
    param: "timezone",
  });
}

/** The first moment of the first day, and the first moment after the last day, in the zone. */
function toDayRange(
  query: { from?: string | undefined; to?: string | undefined; interval: TrafficInterval },
  timeZone: string,
  now: number,
): { from: Date; to: Date } {
  const lastDay = query.to === undefined ? localDayAt(now, timeZone) : Date.parse(query.to);
  const firstDay =
    query.from === undefined ? lastDay - (DAYS_DEFAULT[query.interval] - 1) * DAY_MS : Date.parse(query.from);
  const days = (lastDay - firstDay) / DAY_MS + 1;
  if (days < 1) throw new Fault("invalid_request", "`to` must not be before `from`.", { param: "to" });
  const daysMax = DAYS_MAX[query.interval];
  if (days > daysMax) {
    throw new Fault("invalid_request", `By ${query.interval}, at most ${daysMax} days can be read at once.`, {
      param: "from",
    });
  }
  return {
    from: new Date(startOfLocalDay(firstDay, timeZone)),
    to: new Date(startOfLocalDay(lastDay + DAY_MS, timeZone)),
  };
}

function groupByModel(rows: readonly TrafficRow[]) {
  const groups = new Map<string, TrafficRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.provider, row.model]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()]
    .map((group) => ({ provider: group[0]?.provider, model: group[0]?.model, ...sumTraffic(group) }))
    .toSorted((a, b) => b.earnings - a.earnings || b.requests - a.requests);
}

function sumTraffic(rows: readonly TrafficRow[]) {
  const add = (read: (row: TrafficRow) => bigint) => rows.reduce((sum, row) => sum + read(row), 0n);
  const timed = Number(add((row) => row.timed));
  const latencyMs = rows.reduce((sum, row) => sum + row.latency_ms, 0);
  return {
    requests: Number(add((row) => row.requests)),
    errors: Number(add((row) => row.errors)),
    input_tokens: Number(add((row) => row.input_tokens)),
    output_tokens: Number(add((row) => row.output_tokens)),
    earnings: toCredits(add((row) => row.cost)),
    average_latency_ms: timed === 0 ? null : Math.round((latencyMs / timed) * 10) / 10,
  };
}

export const providerTrafficEndpoints: readonly Endpoint[] = [readTraffic];
