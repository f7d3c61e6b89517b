import { z } from "zod";
import type { Caller } from "../../domain/caller.ts";
import { Fault } from "../../kit/fault.ts";
import { toCredits } from "../../kit/money.ts";
import { isTimeZone, startOfDay } from "../../kit/time-zone.ts";
import { USAGE_GROUPS } from "../../store/records.ts";
import type { UsageRange } from "../../store/usage-source.ts";
import { isOnCalendar } from "../../wire/iso-date.ts";
import { csvOf } from "../csv.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";

const rangeQuery = z.object({
  from: z.string().optional().describe("An ISO date or a date-time; inclusive."),
  to: z.string().optional().describe("An ISO date (that whole day counts) or a date-time (exclusive)."),
  timezone: z
    .string()
    .optional()
    .describe("The IANA zone in which dates are meant. Default: the account's own."),
});

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

const usageRow = z.object({
  requests: z.number(),
  errors: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost: z.number(),
});

const readBreakdown = control({
  method: "GET",
  path: "/v1/usage/breakdown",
  power: "usage.read",
  status: 200,
  tag: "Usage",
  summary: "Usage by day, model, key, task or provider",
  description: "Rows named by what they are grouped by. CSV with `Accept: text/csv`.",
  faults: [],
  query: rangeQuery.extend({ group_by: z.enum(USAGE_GROUPS).default("day") }),
  alternatives: ["text/csv"],
  answer: z.object({
    group_by: z.enum(USAGE_GROUPS),
    data: z.array(usageRow.catchall(z.string())),
    next_cursor: z.null(),
  }),
  async handle({ house, caller, query, request }) {
    const groups = await house.records.breakdown(
      caller.accountId,
      query.group_by,
      rangeOf(query, caller),
      zoneOf(query, caller),
    );
    const data = groups.map((row) => ({
      [query.group_by]: row.group,
      requests: Number(row.requests),
      errors: Number(row.errors),
      input_tokens: Number(row.input_tokens),
      output_tokens: Number(row.output_tokens),
      cost: toCredits(row.cost),
    }));
    if (!/\btext\/csv\b/i.test(request.headers.accept ?? ""))
      return { group_by: query.group_by, data, next_cursor: null };
    const columns = [query.group_by, "requests", "errors", "input_tokens", "output_tokens", "cost"];
    return new Reply(200, csvOf(columns, data), "text/csv; charset=utf-8");
  },
});

type RangeQuery = z.output<typeof rangeQuery>;

function rangeOf(query: RangeQuery, caller: Caller): UsageRange {
  const timeZone = zoneOf(query, caller);
  return { from: momentOf("from", query.from, timeZone, 0), to: momentOf("to", query.to, timeZone, 1) };
}

function zoneOf({ timezone }: RangeQuery, caller: Caller): string {
  if (timezone === undefined) return caller.timeZone;
  if (!isTimeZone(timezone)) {
    throw new Fault("invalid_request", "`timezone` must be an IANA zone, for example Europe/Berlin.", {
      param: "timezone",
    });
  }
  return timezone;
}

/** A date is its first moment in the zone, moved on by whole days; a date-time is itself. */
function momentOf(
  param: string,
  text: string | undefined,
  timeZone: string,
  addDays: number,
): Date | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && isOnCalendar(text)) return startOfDay(text, timeZone, addDays);
  const isDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  if (!isDateTime || !isOnCalendar(text.slice(0, 10)) || Number.isNaN(Date.parse(text))) {
    throw new Fault(
      "invalid_request",
      `\`${param}\` must be an ISO date such as 2026-01-31, or a date-time with its offset.`,
      { param },
    );
  }
  return new Date(text);
}

export const usageEndpoints: readonly Endpoint[] = [readUsage, readBreakdown];
