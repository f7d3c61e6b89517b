import { toCredits } from "@trunkline/core/money.ts";
import { SEGMENT_OUTCOMES } from "@trunkline/core/parts.ts";
import { ATTEMPT_OUTCOMES } from "@trunkline/core/provider-failure.ts";
import type { AnswerFeedback } from "@trunkline/router/learn/feedback.ts";
import { z } from "zod";
import type { RequestRecord, RequestRow, SegmentRow } from "../../store/usage/request-log.ts";
import { pricingSchema, toPricingResponse } from "../requests/model-schema.ts";
import { routingResponseSchema, storedRoutingSchema, toRoutingResponse } from "./routing-decision.ts";
import { verdictResponseSchema } from "./safety-verdict.ts";

/** A stage of the pipeline, and how long a request spent in it. */
const stageSchema = z.object({
  stage: z
    .string()
    .describe(
      "`authenticate`, `admit`, `validate` (reading and checking the body), `claim` (only with an idempotency key), `route`, `screen`, `cache` (only where it was asked), `hold`, `provider` (waiting for providers), `client` (waiting for the client to take a piece of a stream), `charge` (counting and pricing).",
    ),
  start_ms: z.number().describe("Since arrival: the sum of the stages before."),
  ms: z.number().describe("In a stream `provider` and `client` take turns; each is given as the sum of its turns."),
});

/** The stages in order, each with its start. */
function toStages(timings: Readonly<Record<string, number>>) {
  let start = 0;
  return Object.entries(timings).map(([name, ms]) => {
    const stage = { stage: name, start_ms: Math.round(start * 1000) / 1000, ms };
    start += ms;
    return stage;
  });
}

/** The part of an answer that one of several models produced. */
const segmentResponseSchema = z.object({
  model: z.string(),
  outcome: z
    .enum(SEGMENT_OUTCOMES)
    .describe(
      "`answered`: it finished the answer. `cut-off`: another model went on after it, or none did. `failed-check`: its whole answer failed the check of a cascade. `refused`: moderation took the answer away.",
    ),
  usage_source: z.enum(["provider", "own"]).describe("Whose count of tokens was charged."),
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  cache_write_tokens: z.number(),
  output_tokens: z.number(),
  images: z.number(),
  audio_ms: z.number(),
  price_version: z.string(),
  discount: z.number(),
  cost: z.number(),
});

function toSegmentResponse(segment: SegmentRow) {
  return {
    model: `${segment.provider}/${segment.model}`,
    outcome: segment.outcome,
    usage_source: segment.usage_source,
    input_tokens: Number(segment.input_tokens),
    cached_input_tokens: Number(segment.cached_input_tokens),
    cache_write_tokens: Number(segment.cache_write_tokens),
    output_tokens: Number(segment.output_tokens),
    images: segment.images,
    audio_ms: Number(segment.audio_ms),
    price_version: segment.price_version,
    discount: segment.discount / 10_000,
    cost: toCredits(segment.cost),
  };
}

/** A client's feedback on an answer. */
export const feedbackResponseSchema = z.object({
  score: z.number().describe("−1, as bad as can be, to 1."),
  comment: z.string().optional(),
  at: z.string(),
});

export function toFeedbackResponse({ score, comment, at }: AnswerFeedback) {
  return { score, ...(comment === undefined ? {} : { comment }), at: at.toISOString() };
}

function feedbackFields({ feedback_score: score, feedback_comment: comment, feedback_at: at }: RequestRecord) {
  if (score === null || at === null) return {};
  return { feedback: toFeedbackResponse({ score, comment: comment ?? undefined, at }) };
}

/** The fields of an attempt that show whether it was charged. Older records lack some of them. */
interface StoredAttempt {
  readonly model?: string | undefined;
  readonly first_part_ms?: number | null | undefined;
}

/** The tokens that one model was charged for. */
interface ChargedTokens {
  readonly model: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/**
 * The attempts of a request, with the tokens of those that were charged. Segments are in the order of their attempts, and
 * only an attempt that has delivered a part can have one. So it matches both from their ends and skips attempts that
 * ended before their first part.
 */
function withChargedTokens<Attempt extends StoredAttempt>(
  record: RequestRecord,
  model: string | null,
  attempts: readonly Attempt[],
) {
  const charged = chargedTokensOf(record, model);
  return attempts
    .toReversed()
    .map((attempt) => {
      const isCharged = attempt.first_part_ms !== null && charged.at(-1)?.model === attempt.model;
      const chargedTokens = isCharged ? charged.pop() : undefined;
      return {
        kind: null,
        first_part_ms: null,
        ...attempt,
        input_tokens: chargedTokens?.input_tokens ?? null,
        output_tokens: chargedTokens?.output_tokens ?? null,
      };
    })
    .toReversed();
}

function chargedTokensOf(record: RequestRecord, model: string | null): ChargedTokens[] {
  if (record.usage_source === "none") return [];
  const segments = record.legs.map((segment) => ({ ...segment, model: `${segment.provider}/${segment.model}` }));
  return (segments.length === 0 ? [{ ...record, model }] : segments).map((charge) => ({
    model: charge.model,
    input_tokens: Number(charge.input_tokens),
    output_tokens: Number(charge.output_tokens),
  }));
}

const tagsSchema = z.record(z.string(), z.string());

/** A request in a list. */
export const requestSummarySchema = z.object({
  id: z.string(),
  created_at: z.string(),
  path: z.string(),
  task: z.string(),
  model: z.string().nullable().describe("provider/name; null: none was called."),
  status: z.number(),
  error_type: z.string().nullable(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cost: z.number(),
  latency_ms: z.number().describe("From arrival until the charge was about to be written."),
  key_id: z.string(),
  key_name: z.string().nullable().describe("As the key is called now, also where it was revoked."),
  tags: tagsSchema.describe("What the client said of it, by names of its own."),
});

const attemptSchema = z.object({
  model: z.string(),
  outcome: z
    .enum(ATTEMPT_OUTCOMES)
    .describe("`cancelled`: another model was faster. `failed-check`: its answer failed a cascade's check."),
  kind: z
    .enum(["refused", "timeout", "rate-limited", "overloaded", "rejected", "broken", "too-large"])
    .nullable()
    .describe("Of what kind the provider's failure was."),
  reason: z.string().describe("In words; `ok` for an answer."),
  said: z.string().optional().describe("The provider's own words on why it failed, where it had some."),
  ms: z.number(),
  first_part_ms: z.number().nullable().describe("Until the first piece of the answer."),
  input_tokens: z.number().nullable().describe("null for an attempt that was not charged for."),
  output_tokens: z.number().nullable(),
});

const batchLineSchema = z.object({ id: z.string(), line: z.number() });

const cacheResultSchema = z.object({
  result: z.enum(["hit", "miss"]),
  match: z.enum(["exact", "similar"]).optional(),
  similarity: z.number().optional(),
  age_seconds: z.number().optional(),
  request_id: z.string().optional().describe("The request that was first given this answer."),
  model: z.string().optional().describe("The model that gave it."),
});

/** A request by itself. */
export const requestDetailSchema = requestSummarySchema.extend({
  usage_source: z.enum(["provider", "own", "none"]).describe("Whose count of tokens was charged."),
  cached_input_tokens: z.number().describe("How many of the input tokens came out of the provider's cache."),
  cache_write_tokens: z.number().describe("How many of the input tokens were put into the provider's cache."),
  images: z.number().describe("How many images were charged for."),
  audio_ms: z.number().describe("Milliseconds of audio, made or heard, that were charged for."),
  audio_source: z
    .enum(["provider", "measured", "estimated"])
    .optional()
    .describe("Whose count of audio that is; left out where there was none."),
  own_key: z
    .boolean()
    .describe("It was made with the account's own key for the provider, and its price is the service's fee."),
  price_version: z.string().nullable().describe("`legs` where each of its legs has its own."),
  price: pricingSchema
    .nullable()
    .describe("Of that version; null where there is none, as for built-in models, which are free."),
  discount: z.number().describe("What was taken off that price for a line of a batch, 0 to 0.9."),
  held: z.number().describe("What was set aside for the worst case, in credits."),
  idempotent: z
    .boolean()
    .describe(
      "It was sent with an idempotency key, and its answer is replayed for 24 hours. Replays have no record of their own.",
    ),
  cache: cacheResultSchema
    .optional()
    .describe("What the response cache had to say; left out where the request did not ask it."),
  preset: z.string().optional().describe("The preset that it named as its model."),
  annotations: z
    .record(z.string(), z.string())
    .optional()
    .describe("What the account's guardrail hooks noted about it."),
  batch: batchLineSchema.optional().describe("Of which batch it is a line, by its number in the file."),
  streamed: z.boolean(),
  client_hung_up: z.boolean(),
  error: z.string().nullable().describe("What the client was told."),
  timings: z.record(z.string(), z.number()).describe("Milliseconds by stage; `stages` has the same in order."),
  stages: z
    .array(stageSchema)
    .describe(
      "Its way through the line, in order. Writing the charge comes after all of this and is not in the record that it writes: `settle` is told in the answer's `Server-Timing` header.",
    ),
  routing: routingResponseSchema.nullable().describe("null: it was refused before a route was chosen."),
  attempts: z.array(attemptSchema),
  legs: z
    .array(segmentResponseSchema)
    .optional()
    .describe(
      "Where several models made the answer, one after the other, what each was charged for; the request's tokens and cost are their sums.",
    ),
  safety: z.object({ input: verdictResponseSchema, output: verdictResponseSchema }),
  feedback: feedbackResponseSchema.optional().describe("What was said of the answer; left out where nothing was."),
  content: z
    .object({ input: z.string(), output: z.string() })
    .optional()
    .describe("Only where the account has turned storing on."),
});

export function toRequestSummary(row: RequestRow) {
  return {
    id: row.id,
    created_at: row.created_at.toISOString(),
    path: row.path,
    task: row.task,
    model: row.model === null ? null : `${row.provider}/${row.model}`,
    status: row.status,
    error_type: row.error_type,
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cost: toCredits(row.cost),
    latency_ms: Math.round(row.latency_ms),
    key_id: row.key_id,
    key_name: row.key_name,
    tags: tagsSchema.parse(row.tags ?? {}),
  };
}

/** The JSON of a record's `detail` column. Older records lack some of these fields. */
const storedDetailSchema = z.object({
  attempts: z.array(attemptSchema.partial().loose()).catch([]),
  routing: storedRoutingSchema.optional().catch(undefined),
  safety: z
    .object({ input: verdictResponseSchema, output: verdictResponseSchema })
    .catch({ input: null, output: null }),
  timings: z.record(z.string(), z.number()).catch({}),
  audio_source: z.string().optional(),
  own_key: z.boolean().default(false),
  idempotent: z.boolean().default(false),
  cache: cacheResultSchema.optional().catch(undefined),
  batch: batchLineSchema.optional().catch(undefined),
  preset: z.string().optional().catch(undefined),
  annotations: z.record(z.string(), z.string()).optional().catch(undefined),
  streamed: z.boolean().default(false),
  client_hung_up: z.boolean().default(false),
  error: z.string().nullable().default(null),
  content: z.object({ input: z.string(), output: z.string() }).optional().catch(undefined),
});

export function toRequestDetail(record: RequestRecord) {
  const { routing, attempts, audio_source, content, ...detail } = storedDetailSchema.parse(record.detail);
  const summary = toRequestSummary(record);
  return {
    ...summary,
    usage_source: record.usage_source,
    cached_input_tokens: Number(record.cached_input_tokens),
    cache_write_tokens: Number(record.cache_write_tokens),
    images: record.images ?? 0,
    audio_ms: Number(record.audio_ms),
    ...(audio_source === undefined ? {} : { audio_source }),
    price_version: record.price_version,
    price: record.price === undefined ? null : toPricingResponse(record.price),
    discount: record.discount / 10_000,
    held: toCredits(record.held),
    ...detail,
    stages: toStages(detail.timings),
    routing: routing === undefined ? null : toRoutingResponse(routing, attempts, summary.model),
    attempts: withChargedTokens(record, summary.model, attempts),
    ...(record.legs.length === 0 ? {} : { legs: record.legs.map(toSegmentResponse) }),
    ...feedbackFields(record),
    ...(content === undefined ? {} : { content }),
  };
}
