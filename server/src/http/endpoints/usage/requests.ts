import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, timeOfId } from "@trunkline/core/id.ts";
import { storableText } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { RequestCursor, RequestPage, RequestRecord } from "../../../store/usage/request-log.ts";
import { pageResponseSchema } from "../../responses/list-page.ts";
import { feedbackResponseSchema, toFeedbackResponse } from "../../responses/show-feedback.ts";
import {
  requestDetailSchema,
  requestSummarySchema,
  toRequestDetail,
  toRequestSummary,
} from "../../responses/show-request.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { toRecordedRequest } from "./recorded-request.ts";
import { newerCursor, parseRequestCursor, requestQuerySchema, toRequestFilter } from "./request-query.ts";

const listRequests = controlEndpoint({
  method: "GET",
  path: "/v1/requests",
  permission: "requests.read",
  status: 200,
  tag: "Requests",
  summary: "List what happened, newest first",
  description:
    "A request is on record once it is over, in the place of its arrival: a long one appears below shorter ones that came after it. Whoever follows the list asks from a while back, with `after`, and merges by id. A search for what is rare stops after 25,000 requests and tells how far it came in `searched_until`; `next_cursor` goes on from there, also where the page is empty.",
  faults: [],
  query: requestQuerySchema,
  response: pageResponseSchema(requestSummarySchema).extend({
    prev_cursor: z.string().nullable().describe("The page of what is newer than this one, now or later."),
    searched_until: z
      .string()
      .nullable()
      .describe("How far the search came, where it stopped before the end."),
  }),
  async handle({ services, caller, query }) {
    const cursor = parseRequestCursor(query.cursor);
    const filter = toRequestFilter(query, caller);
    const page = await services.requestLog.page(caller.accountId, filter, query.limit + 1, cursor);
    return toRequestPage(page, query.limit, cursor);
  },
});

/** Newest first, whichever way the page was read. */
function toRequestPage(
  { rows, searchedUntil }: RequestPage,
  limit: number,
  cursor: RequestCursor | undefined,
) {
  const isNewer = cursor?.towards === "newer";
  const listed = rows.slice(0, limit);
  const shown = isNewer ? listed.toReversed() : listed;
  const [newest, oldest] = [shown[0]?.id, shown.at(-1)?.id];
  const hasMore = rows.length > limit;
  const reached = hasMore ? listed.at(-1)?.id : searchedUntil;
  const newer = (isNewer ? reached : undefined) ?? newest ?? cursor?.id;
  return {
    data: shown.map(toRequestSummary),
    next_cursor: (isNewer ? (oldest ?? cursor.id) : reached) ?? null,
    prev_cursor: newer === undefined ? null : newerCursor(newer),
    searched_until: hasMore || searchedUntil === undefined ? null : timeOfRequest(searchedUntil),
  };
}

function timeOfRequest(id: string): string {
  return new Date(timeOfId(id)).toISOString();
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
    comment: storableText(z.string().trim().max(1000))
      .optional()
      .describe("For people; nothing is made of it."),
  }),
  response: feedbackResponseSchema,
  async handle({ services, caller, params, body }) {
    const record = await findRequest(services, caller, params.id);
    const comment = body.comment === "" ? undefined : body.comment;
    const given = { score: body.score, comment };
    return toFeedbackResponse(await services.feedback.submit(caller, toRecordedRequest(record), given));
  },
});

/** One of the caller's own requests; another's is as unknown as none. */
async function findRequest(services: Services, { accountId }: Caller, id = ""): Promise<RequestRecord> {
  const record = isId(id) ? await services.requestLog.find(accountId, id) : undefined;
  if (record === undefined)
    throw new Fault("not_found", "There is no such request. List yours with GET /v1/requests.");
  return record;
}

export const requestEndpoints: readonly Endpoint[] = [listRequests, readRequest, giveFeedback];
