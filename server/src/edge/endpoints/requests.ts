import { z } from "zod";
import { Fault } from "../../kit/fault.ts";
import { isId } from "../../kit/id.ts";
import { toCredits } from "../../kit/money.ts";
import type { RequestRecord } from "../../store/records.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { listPage, pageOf, pageQuery } from "../list-page.ts";

const summary = {
  id: z.string(),
  created_at: z.string(),
  path: z.string(),
  task: z.string(),
  model: z.string().nullable().describe("provider/name"),
  status: z.number(),
  error_type: z.string().nullable(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost: z.number(),
  latency_ms: z.number(),
  key_id: z.string(),
};

const listRequests = control({
  method: "GET",
  path: "/v1/requests",
  power: "requests.read",
  status: 200,
  tag: "Requests",
  summary: "List what happened, newest first",
  faults: [],
  query: pageQuery,
  answer: pageOf(z.object(summary)),
  handle: ({ house, caller, query }) =>
    listPage(query, (limit, cursor) => house.records.list(caller.accountId, limit, cursor), summaryOf),
});

const readRequest = control({
  method: "GET",
  path: "/v1/requests/:id",
  power: "requests.read",
  status: 200,
  tag: "Requests",
  summary: "What happened to a request",
  description:
    "Attempts, routing reasons, tokens, audio, price version, cost, timings and safety verdicts. The id is the answer's `x-request-id`.",
  faults: ["not_found"],
  answer: z
    .object({
      ...summary,
      usage_source: z.enum(["provider", "own", "none"]).describe("Whose count of tokens was charged."),
      cached_input_tokens: z
        .number()
        .describe("How many of the input tokens came out of the provider's cache."),
      audio_ms: z.number().describe("Milliseconds of audio, made or heard, that were charged for."),
      audio_source: z
        .enum(["provider", "measured", "estimated"])
        .optional()
        .describe("Whose count of audio that is; left out where there was none."),
      price_version: z.string().nullable(),
      held: z.number().describe("What was set aside for the worst case, in credits."),
    })
    .loose(),
  async handle({ house, caller, params }) {
    const id = params.id ?? "";
    const record = isId(id) ? await house.records.find(caller.accountId, id) : undefined;
    if (record === undefined)
      throw new Fault("not_found", "There is no such request. List yours with GET /v1/requests.");
    return {
      ...summaryOf(record),
      usage_source: record.usage_source,
      cached_input_tokens: Number(record.cached_input_tokens),
      audio_ms: Number(record.audio_ms),
      price_version: record.price_version,
      held: toCredits(record.held),
      ...record.detail,
    };
  },
});

function summaryOf(record: RequestRecord) {
  return {
    id: record.id,
    created_at: record.created_at.toISOString(),
    path: record.path,
    task: record.task,
    model: record.model === null ? null : `${record.provider}/${record.model}`,
    status: record.status,
    error_type: record.error_type,
    input_tokens: Number(record.input_tokens),
    output_tokens: Number(record.output_tokens),
    cost: toCredits(record.cost),
    latency_ms: Math.round(record.latency_ms),
    key_id: record.key_id,
  };
}

export const requestEndpoints: readonly Endpoint[] = [listRequests, readRequest];
