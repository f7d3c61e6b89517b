import type { Caller } from "@trunkline/core/caller.ts";
import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas--money.ts";
import { isId } from "@trunkline/core/id.ts";
import { z } from "zod";
import type { RequestCursor, RequestFilter } from "../../../store/usage/request-log.ts";
import {
  toUsageFilter,
  toUsageRange,
  usageFilterQuery,
  usageRangeQuery,
} from "../../requests/usage-range.ts";
import { invalidCursorFault, pageQuery } from "../../responses/list-page.ts";

/** The record's status of a request whose client left before it was given anything. */
const CLIENT_CLOSED_REQUEST = 499;

/** Words for what most look for. `error` is what usage counts under `errors`. */
const STATUS_RANGES = {
  ok: { from: 100, to: 399 },
  error: { from: 400, to: 599, but: CLIENT_CLOSED_REQUEST },
  refused: { from: 400, to: 499, but: CLIENT_CLOSED_REQUEST },
} as const;

const FEEDBACK_RANGES = {
  any: { from: -1, to: 1 },
  good: { from: Number.MIN_VALUE, to: 1 },
  bad: { from: -1, to: -Number.MIN_VALUE },
} as const;

const isStatus = (text: string) =>
  Object.hasOwn(STATUS_RANGES, text) || /^[1-5]xx$/.test(text) || /^[1-5]\d\d$/.test(text);

const requestIdSchema = z.string().refine(isId, "must be the id of a request");
/** Numbers in a query are text; an empty one is none. */
const decimalSchema = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be a number that is not negative, with at most 9 decimals")
  .transform(Number);

/** What requests can be looked for by. */
export const requestQuerySchema = pageQuery
  .extend({
    cursor: z.string().optional().describe("`next_cursor` or `prev_cursor` of another page."),
  })
  .extend(usageRangeQuery.shape)
  .extend(usageFilterQuery.shape)
  .extend({
    id: requestIdSchema.optional().describe("This one only."),
    after: requestIdSchema
      .optional()
      .describe("Only those that arrived after the request with this id; newest first, as always."),
    status: z
      .string()
      .refine(isStatus, "must be ok, error, refused, a class such as 4xx, or a status such as 502")
      .optional()
      .describe(
        "`ok` (answered), `error` (refused or failed, as usage counts it), `refused` (of those, the ones that were refused: 4xx), a class such as `5xx`, or a status. 499: the client left before it was given anything.",
      ),
    error_type: z
      .string()
      .regex(/^[a-z_]{1,64}$/, "must be the type of an error, such as provider_error")
      .optional(),
    min_cost: decimalSchema
      .pipe(creditsSchema(0, 999_999_999))
      .optional()
      .describe("Those that cost at least this, in credits."),
    feedback: z
      .enum(["any", "good", "bad"])
      .optional()
      .describe("Those on which feedback was given; `good`: with a score above 0, `bad`: below 0."),
    min_latency_ms: decimalSchema.optional().describe("Those that took at least this long."),
  });

type RequestQuery = z.output<typeof requestQuerySchema>;

/** What a query looks for. */
export function toRequestFilter(query: RequestQuery, caller: Caller): RequestFilter {
  return {
    ...toUsageFilter(query),
    ...toUsageRange(query, caller),
    id: query.id,
    after: query.after,
    status: query.status === undefined ? undefined : statusRangeOf(query.status),
    errorType: query.error_type,
    minCost: query.min_cost === undefined ? undefined : toNanoCredits(query.min_cost),
    minLatencyMs: query.min_latency_ms,
    feedback: query.feedback === undefined ? undefined : FEEDBACK_RANGES[query.feedback],
  };
}

function statusRangeOf(text: string): NonNullable<RequestFilter["status"]> {
  if (text === "ok" || text === "error" || text === "refused") return STATUS_RANGES[text];
  const [from, to] = [Number(text.replaceAll("x", "0")), Number(text.replaceAll("x", "9"))];
  return { from, to };
}

const NEWER_PREFIX = "newer:";

/** Where a page begins. A cursor is an id, marked where it leads to newer requests. */
export function parseRequestCursor(text: string | undefined): RequestCursor | undefined {
  if (text === undefined) return undefined;
  const towards = text.startsWith(NEWER_PREFIX) ? "newer" : "older";
  const at = towards === "newer" ? text.slice(NEWER_PREFIX.length) : text;
  if (!isId(at)) throw invalidCursorFault();
  return { id: at, towards };
}

/** The cursor that leads to what is newer than a request. */
export function newerCursor(requestId: string): string {
  return `${NEWER_PREFIX}${requestId}`;
}
