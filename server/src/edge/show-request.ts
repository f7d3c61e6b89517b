import { z } from "zod";
import { ATTEMPT_OUTCOMES } from "../domain/attempt.ts";
import { LEG_OUTCOMES } from "../domain/leg.ts";
import { toCredits } from "../kit/money.ts";
import type { LegRow, RequestRecord, RequestRow } from "../store/request-log.ts";
import { pricing, pricingOf } from "../wire/model.ts";
import { withTokens } from "./show-attempts.ts";
import { stage, stagesOf } from "./show-stages.ts";

/** A request in a list. */
export const requestSummary = z.object({
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
});

const candidate = z.object({
  model: z.string(),
  place: z.number().describe("1 is tried first."),
  chosen: z.boolean().describe("It gave the answer, or was the last to be tried."),
  outcome: z
    .enum([...ATTEMPT_OUTCOMES, "not tried"])
    .describe("What became of it; `not tried` where one before it answered, or it could not be called."),
  predicted_quality: z.number(),
  lower_quality: z.number().optional().describe("The same at its lower bound."),
  evidence: z.number().optional().describe("By how many outcomes that is backed; left out where by none."),
  expected_latency_ms: z.number(),
  estimated_cost: z.number(),
  worst_case_cost: z.number(),
  price_version: z.string().optional().describe("Of the price that it was quoted at."),
  error_rate: z.number().optional().describe("Of its recent calls, 0 to 1; left out where none failed."),
  reasons: z.array(z.string()),
});

/** What the session and chance had to say in the choice. */
const chance = {
  sticky_to: z.string().optional().describe("The model that the request's session stayed with."),
  propensity: z
    .number()
    .optional()
    .describe(
      "How likely the first place was to go to whom it went; left out where nothing was left to chance.",
    ),
  explored: z
    .object({ propensity: z.number(), instead_of: z.string() })
    .optional()
    .describe("The first was tried in the place of its near-equal."),
};

const attempt = z.object({
  model: z.string(),
  outcome: z
    .enum(ATTEMPT_OUTCOMES)
    .describe("`failed-check`: it answered, and its answer failed the check of a cascade."),
  kind: z
    .enum(["refused", "timeout", "rate-limited", "rejected", "broken", "too-large"])
    .nullable()
    .describe("Of what kind the provider's failure was."),
  reason: z.string().describe("In words; `ok` for an answer."),
  said: z.string().optional().describe("The provider's own words on why it failed, where it had some."),
  ms: z.number(),
  first_part_ms: z.number().nullable().describe("Until the first piece of the answer."),
  input_tokens: z.number().nullable().describe("null for an attempt that was not charged for."),
  output_tokens: z.number().nullable(),
});

const legShown = z.object({
  model: z.string(),
  outcome: z
    .enum(LEG_OUTCOMES)
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

const verdict = z
  .object({
    action: z.enum(["allow", "report", "redact", "refuse"]),
    categories: z.record(z.string(), z.number()).describe("Those that were found, 0 to 1."),
  })
  .nullable()
  .describe("null: it was not looked at.");

const batchShown = z.object({ id: z.string(), line: z.number() });

const cacheShown = z.object({
  result: z.enum(["hit", "miss"]),
  match: z.enum(["exact", "similar"]).optional(),
  similarity: z.number().optional(),
  age_seconds: z.number().optional(),
  request_id: z.string().optional().describe("The request that was first given this answer."),
  model: z.string().optional().describe("The model that gave it."),
});

/** All that is known of a request. */
export const requestDetail = requestSummary.extend({
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
  price: pricing
    .nullable()
    .describe("Of that version; null where there is none, as for built-in models, which are free."),
  discount: z.number().describe("What was taken off that price for a line of a batch, 0 to 0.9."),
  held: z.number().describe("What was set aside for the worst case, in credits."),
  idempotent: z
    .boolean()
    .describe(
      "It was sent with an idempotency key, and its answer is replayed for 24 hours. Replays have no record of their own.",
    ),
  cache: cacheShown
    .optional()
    .describe("What the response cache had to say; left out where the request did not ask it."),
  batch: batchShown.optional().describe("Of which batch it is a line, by its number in the file."),
  streamed: z.boolean(),
  client_hung_up: z.boolean(),
  error: z.string().nullable().describe("What the client was told."),
  timings: z
    .record(z.string(), z.number())
    .describe("Milliseconds by stage; `stages` has the same in order."),
  stages: z
    .array(stage)
    .describe(
      "Its way through the line, in order. Writing the charge comes after all of this and is not in the record that it writes: `settle` is told in the answer's `Server-Timing` header.",
    ),
  routing: z
    .object({
      strategy: z.string(),
      chosen_by: z
        .enum(["account", "request", "name"])
        .optional()
        .describe("Whose strategy it was: the account's or the request's; or the client named the model."),
      weights: z.record(z.string(), z.number()).optional().describe("What `hybrid` weighed."),
      task: z.string(),
      ...chance,
      candidates: z
        .array(candidate)
        .describe("Up to twelve: the first ones, the one that answered, and the cheapest, fastest and best."),
      candidates_total: z.number(),
      left_out: z.array(z.object({ model: z.string(), reason: z.string() })).describe("The first twelve."),
      left_out_total: z.number(),
    })
    .nullable()
    .describe("null: it was refused before a route was chosen."),
  attempts: z.array(attempt),
  legs: z
    .array(legShown)
    .optional()
    .describe(
      "Where several models made the answer, one after the other, what each was charged for; the request's tokens and cost are their sums.",
    ),
  safety: z.object({ input: verdict, output: verdict }),
  content: z
    .object({ input: z.string(), output: z.string() })
    .optional()
    .describe("Only where the account has turned storing on."),
});

/** A request in a list, on the wire. */
export function summaryOf(row: RequestRow) {
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
  };
}

/** What a record holds beside its columns. Older records have less of it. */
const kept = z.object({
  attempts: z.array(attempt.partial().loose()).catch([]),
  routing: z
    .object({
      strategy: z.string(),
      chosen_by: z.string().optional(),
      weights: z.record(z.string(), z.number()).optional(),
      task: z.string(),
      ...chance,
      candidates: z.array(candidate.partial().loose()),
      candidates_total: z.number().optional(),
      left_out: z.array(z.object({ model: z.string(), reason: z.string() })),
      left_out_total: z.number().optional(),
    })
    .optional()
    .catch(undefined),
  safety: z.object({ input: verdict, output: verdict }).catch({ input: null, output: null }),
  timings: z.record(z.string(), z.number()).catch({}),
  audio_source: z.string().optional(),
  own_key: z.boolean().default(false),
  idempotent: z.boolean().default(false),
  cache: cacheShown.optional().catch(undefined),
  batch: batchShown.optional().catch(undefined),
  streamed: z.boolean().default(false),
  client_hung_up: z.boolean().default(false),
  error: z.string().nullable().default(null),
  content: z.object({ input: z.string(), output: z.string() }).optional().catch(undefined),
});

/** All that is known of a request, on the wire. */
export function detailOf(record: RequestRecord) {
  const { routing, attempts, audio_source, content, ...detail } = kept.parse(record.detail);
  const summary = summaryOf(record);
  return {
    ...summary,
    usage_source: record.usage_source,
    cached_input_tokens: Number(record.cached_input_tokens),
    cache_write_tokens: Number(record.cache_write_tokens),
    images: record.images ?? 0,
    audio_ms: Number(record.audio_ms),
    ...(audio_source === undefined ? {} : { audio_source }),
    price_version: record.price_version,
    price: record.price === undefined ? null : pricingOf(record.price),
    discount: record.discount / 10_000,
    held: toCredits(record.held),
    ...detail,
    stages: stagesOf(detail.timings),
    routing: routing === undefined ? null : routingOf(routing, attempts, summary.model),
    attempts: withTokens(record, summary.model, attempts),
    ...(record.legs.length === 0 ? {} : { legs: record.legs.map(legOf) }),
    ...(content === undefined ? {} : { content }),
  };
}

type Kept = z.output<typeof kept>;

function routingOf(routing: NonNullable<Kept["routing"]>, attempts: Kept["attempts"], model: string | null) {
  return {
    ...routing,
    candidates: routing.candidates.map((one, index) => ({
      ...one,
      place: one.place ?? index + 1,
      chosen: one.model === model,
      outcome: attempts.findLast((made) => made.model === one.model)?.outcome ?? "not tried",
    })),
    candidates_total: routing.candidates_total ?? routing.candidates.length,
    left_out_total: routing.left_out_total ?? routing.left_out.length,
  };
}

function legOf(leg: LegRow) {
  return {
    model: `${leg.provider}/${leg.model}`,
    outcome: leg.outcome,
    usage_source: leg.usage_source,
    input_tokens: Number(leg.input_tokens),
    cached_input_tokens: Number(leg.cached_input_tokens),
    cache_write_tokens: Number(leg.cache_write_tokens),
    output_tokens: Number(leg.output_tokens),
    images: leg.images,
    audio_ms: Number(leg.audio_ms),
    price_version: leg.price_version,
    discount: leg.discount / 10_000,
    cost: toCredits(leg.cost),
  };
}
