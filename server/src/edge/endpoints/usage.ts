import { z } from "zod";
import { Fault } from "../../kit/fault.ts";
import { toCredits } from "../../kit/money.ts";
import { USAGE_GROUPS } from "../../store/records.ts";
import type { UsageRange } from "../../store/usage-source.ts";
import { isOnCalendar } from "../../wire/iso-date.ts";
import { csvOf } from "../csv.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";
import { startOfDay } from "../time-zone.ts";

const rangeQuery = z.object({
  from: z.string().optional().describe("An ISO date or a date-time; inclusive."),
  to: z.string().optional().describe("An ISO date (that whole day counts) or a date-time (exclusive)."),
  timezone: z.string().default("UTC").describe("The IANA zone in which dates are meant."),
});

const readUsage = control({
  method: "GET",
  path: "/v1/usage",
  scope: "read",
  status: 200,
  tag: "Usage",
  summary: "Requests and cost of the account",
  description: "Answered requests, and what they cost. Of all time, or of a range of time.",
  faults: [],
  query: rangeQuery,
  answer: z.object({ requests: z.number(), cost: z.number() }),
  async handle({ house, caller, query }) {
    const total = await house.records.total(caller.accountId, rangeOf(query));
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
  scope: "read",
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
      rangeOf(query),
      query.timezone,
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

function rangeOf(query: z.output<typeof rangeQuery>): UsageRange {
  if (!isTimeZone(query.timezone)) {
    throw new Fault("invalid_request", "`timezone` must be an IANA zone, for example Europe/Berlin.", {
      param: "timezone",
    });
  }
  return {
    from: momentOf("from", query.from, query.timezone, 0),
    to: momentOf("to", query.to, query.timezone, 1),
  };
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

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // The runtime says so only by throwing.
    return false;
  }
}

export const usageEndpoints: readonly Endpoint[] = [readUsage, readBreakdown];
