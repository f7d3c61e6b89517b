import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { isId, timeOfId } from "@trunkline/core/id.ts";
import type { RecordedChoice, RecordedRequest } from "@trunkline/router/learn/feedback.ts";
import { countedDomains } from "@trunkline/router/learn/outcomes.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { CLIENT_CLOSED_REQUEST } from "../../../ledger/billing/settlement.ts";
import type { RequestCursor, RequestFilter, RequestPage, RequestRecord } from "../../../store/usage/request-log.ts";
import { toUsageFilter, toUsageRange, usageFilterQuery, usageRangeQuery } from "../../requests/usage-range.ts";
import { invalidCursorFault, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import {
  feedbackResponseSchema,
  requestDetailSchema,
  requestSummarySchema,
  toFeedbackResponse,
  toRequestDetail,
  toRequestSummary,
} from "../../responses/request-record.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { answerFromPast } from "./answer-from-past.ts";

/** Named status ranges. `error` matches what usage counts under `errors`. */
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
/** A number in a query. `z.coerce` would read an empty text as 0. */
const decimalSchema = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be a number that is not negative, with at most 9 decimals")
  .transform(Number);

/** The filters of the request list. */
const requestQuerySchema = pageQuery
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
    text: storableText(z.string().min(1).max(200))
      .optional()
      .describe(
        "Those whose stored prompt or output contains this text, in any case. Nothing is found where the account does not store them.",
      ),
  });

type RequestQuery = z.output<typeof requestQuerySchema>;

function toRequestFilter(query: RequestQuery, caller: Caller): RequestFilter {
  return {
    ...toUsageFilter(query),
    ...toUsageRange(query, caller),
    id: query.id,
    after: query.after,
    status: query.status === undefined ? undefined : statusRangeOf(query.status),
    errorType: query.error_type,
    minCost: query.min_cost === undefined ? undefined : toNanoCredits(query.min_cost),
    minLatencyMs: query.min_latency_ms,
    text: query.text,
    feedback: query.feedback === undefined ? undefined : FEEDBACK_RANGES[query.feedback],
  };
}

function statusRangeOf(text: string): NonNullable<RequestFilter["status"]> {
  if (text === "ok" || text === "error" || text === "refused") return STATUS_RANGES[text];
  const [from, to] = [Number(text.replaceAll("x", "0")), Number(text.replaceAll("x", "9"))];
  return { from, to };
}

const NEWER_PREFIX = "newer:";

/** A cursor is a request's id, with a prefix where it leads to newer requests. */
function parseRequestCursor(text: string | undefined): RequestCursor | undefined {
  if (text === undefined) return undefined;
  const towards = text.startsWith(NEWER_PREFIX) ? "newer" : "older";
  const id = towards === "newer" ? text.slice(NEWER_PREFIX.length) : text;
  if (!isId(id)) throw invalidCursorFault();
  return { id, towards };
}

const listRequests = controlEndpoint({
  method: "GET",
  path: "/v1/requests",
  permission: "requests.read",
  status: 200,
  tag: "Requests",
  summary: "List what happened, newest first",
  description:
    "A request is on record once it is over, in the place of its arrival: a long one appears below shorter ones that came after it. To follow the list, ask from a while back, with `after`, and merge by id. A search for what is rare stops after 5,000 requests (1,000 with `text`) and says how far it came in `searched_until`; `next_cursor` goes on from there, also where the page is empty.",
  faults: [],
  query: requestQuerySchema,
  response: pageResponseSchema(requestSummarySchema).extend({
    prev_cursor: z.string().nullable().describe("The page of what is newer than this one, now or later."),
    searched_until: z.string().nullable().describe("How far the search came, where it stopped before the end."),
  }),
  handle({ services, caller, query }) {
    const cursor = parseRequestCursor(query.cursor);
    const filter = toRequestFilter(query, caller);
    return answerFromPast(services, async ({ requestLog }) =>
      toRequestPage(await requestLog.page(caller.accountId, filter, query.limit + 1, cursor), query.limit, cursor),
    );
  },
});

/** Newest first, in whichever direction the page was read. */
function toRequestPage({ rows, searchedUntil }: RequestPage, limit: number, cursor: RequestCursor | undefined) {
  const isNewer = cursor?.towards === "newer";
  const listed = rows.slice(0, limit);
  const newestFirst = isNewer ? listed.toReversed() : listed;
  const [newest, oldest] = [newestFirst[0]?.id, newestFirst.at(-1)?.id];
  const hasMore = rows.length > limit;
  const reached = hasMore ? listed.at(-1)?.id : searchedUntil;
  const newer = (isNewer ? reached : undefined) ?? newest ?? cursor?.id;
  return {
    data: newestFirst.map(toRequestSummary),
    next_cursor: (isNewer ? (oldest ?? cursor.id) : reached) ?? null,
    prev_cursor: newer === undefined ? null : `${NEWER_PREFIX}${newer}`,
    searched_until: hasMore || searchedUntil === undefined ? null : new Date(timeOfId(searchedUntil)).toISOString(),
  };
}

const readRequest = controlEndpoint({
  method: "GET",
  path: "/v1/requests/:id",
  permission: "requests.read",
  status: 200,
  tag: "Requests",
  summary: "What happened to a request",
  description:
    "Its way through the line, attempts, routing reasons, tokens, audio, price, cost and safety verdicts. The id is the answer's `x-request-id`.",
  faults: ["not_found"],
  response: requestDetailSchema,
  async handle({ services, caller, params }) {
    return toRequestDetail(await findRequest(services, caller, params.id));
  },
});

const giveFeedback = controlEndpoint({
  method: "POST",
  path: "/v1/requests/:id/feedback",
  permission: "feedback.give",
  audit: null,
  status: 200,
  tag: "Requests",
  summary: "Say how good an answer was",
  description:
    "Up to 30 days after the request. The router learns from it for requests of the same domain, unless learning is frozen; said again, it replaces what was said before.",
  faults: ["not_found", "conflict"],
  body: z.object({
    score: z.number().min(-1).max(1).describe("−1, as bad as can be, to 1."),
    comment: storableText(z.string().trim().max(1000)).optional().describe("For people; nothing is made of it."),
  }),
  response: feedbackResponseSchema,
  async handle({ services, caller, params, body }) {
    const record = await findRequest(services, caller, params.id);
    const comment = body.comment === "" ? undefined : body.comment;
    const given = { score: body.score, comment };
    return toFeedbackResponse(await services.routing.feedback.submit(caller, toRecordedRequest(record), given));
  },
});

/** One of the caller's own requests. Another account's request is as unknown as a missing one. */
async function findRequest(services: Services, { accountId }: Caller, id = ""): Promise<RequestRecord> {
  const record = isId(id) ? await services.usage.requestLog.find(accountId, id) : undefined;
  if (record === undefined) throw new Fault("not_found", "There is no such request. List yours with GET /v1/requests.");
  return record;
}

export const requestEndpoints: readonly Endpoint[] = [listRequests, readRequest, giveFeedback];

/** The fields of a record's detail that learning needs. Records of earlier versions lack them. */
const recordedDetailSchema = z.object({
  routing: z.object({
    reading: z.object({ domain: z.string(), shares: z.array(z.tuple([z.string(), z.number()])) }),
    propensity: z.number().optional(),
    candidates: z.array(
      z.object({
        model: z.string(),
        predicted_quality: z.number(),
        unlearnt_quality: z.number().optional(),
      }),
    ),
  }),
  cache: z.object({ model: z.string().optional() }).optional(),
});

/** A record in the form that feedback learns from. */
function toRecordedRequest(record: RequestRecord): RecordedRequest {
  return {
    id: record.id,
    createdAt: record.created_at,
    isAnswered: record.status < 400 && record.model !== null,
    choice: recordedChoiceOf(record),
  };
}

function recordedChoiceOf({ detail, provider, model }: RequestRecord): RecordedChoice | undefined {
  const read = recordedDetailSchema.safeParse(detail);
  if (!read.success) return undefined;
  const { routing, cache } = read.data;
  const answeredBy = cache?.model ?? `${provider}/${model}`;
  const chosen = routing.candidates.find((candidate) => candidate.model === answeredBy);
  if (chosen === undefined) return undefined;
  const { domain, shares } = routing.reading;
  return {
    model: answeredBy,
    domain,
    counted: countedDomains({ domain, shares: shares.map(([name, share]) => ({ domain: name, share })) }),
    predictedQuality: chosen.predicted_quality,
    prior: chosen.unlearnt_quality ?? chosen.predicted_quality,
    propensity: routing.propensity ?? 1,
  };
}
