import type { Caller } from "@trunkline/core/caller.ts";
import { normaliseTask, textInference } from "@trunkline/core/inference.ts";
import { fullNameOf, MODEL_TYPES, type Model, type PricedModel } from "@trunkline/core/model.ts";
import { knownPriceOf } from "@trunkline/providers/discovery/known-models.ts";
import type { LastDay, StatsBucket } from "@trunkline/providers/health/endpoint-stats.ts";
import { availabilityOf, averagesOf } from "@trunkline/providers/health/endpoint-totals.ts";
import { isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { fitTask } from "@trunkline/router/predict/predictor.ts";
import { z } from "zod";
import type { Services } from "../../app/services.ts";
import {
  dataClaimResponseSchema,
  modelStateSchema,
  nextPricingSchema,
  pricingSchema,
  toDataClaimResponse,
  toNextPricingResponse,
  toPricingResponse,
} from "../requests/model-schema.ts";

export const modelTypeSchema = z.enum(MODEL_TYPES);

const speedFields = {
  latency_ms: z.number().nullable().describe("Of a whole answer, on average."),
  first_token_ms: z.number().nullable(),
  tokens_per_second: z.number().nullable(),
};

const availabilitySchema = z.object({
  at: z.string(),
  calls: z.number(),
  failures: z.number(),
  state: z.enum(["up", "degraded", "down", "no data"]),
});

/** A model of one provider, with its public fields. */
const offerSchema = z.object({
  provider: z.string(),
  name: z.string(),
  full_name: z.string().describe("`provider/name`, the name that is unique."),
  type: modelTypeSchema,
  description: z.string(),
  state: modelStateSchema,
  own_key: z
    .boolean()
    .describe("Called with your own key for its provider, so that the prices here are the service's fee alone."),
  pricing: pricingSchema,
  next_pricing: nextPricingSchema,
  provider_pricing: pricingSchema
    .nullable()
    .describe(
      "With your own key: what the provider itself asks you, by the service's table of prices. Otherwise null.",
    ),
  capabilities: z.array(z.string()),
  specialties: z.array(z.string()),
  performance: z.object({
    avg_latency_ms: z.number().nullable().describe("What its provider declares."),
    accuracy_score: z.number().nullable().describe("What its provider declares, 0 to 1."),
    predicted_quality: z
      .number()
      .nullable()
      .describe(
        "The chance that its answer to an everyday question satisfies, as routing predicts it. null: it answers none.",
      ),
  }),
  cost_efficiency: z.string().nullable(),
  streaming: z.boolean(),
  context_window: z.number().nullable(),
  max_output_tokens: z.number().nullable(),
  data: dataClaimResponseSchema,
  created_at: z.string().nullable().describe("null for the built-in models."),
  live: z
    .object({
      available: z.boolean().describe("Whether this instance would call it now."),
      state: z
        .enum(["up", "left alone", "on trial", "coming back", "out of service"])
        .describe(
          "left alone: it failed, became slow or asked for a pause. out of service: its provider takes no calls until its owner does something.",
        ),
      out_of_service_since: z.string().nullable(),
      first_token_p95_ms: z.number().nullable().describe("Of the last answers that this instance knows of."),
      ...speedFields,
      error_rate: z.number(),
      calls: z.number(),
    })
    .describe("The last hour, as all instances saw it."),
});

/** An offer in a list. */
export const listedOfferSchema = offerSchema.extend({
  availability: z.array(availabilitySchema).describe("The last 24 hours, hour by hour, the oldest first."),
});

/** An offer by itself. */
export const offerDetailSchema = offerSchema.extend({
  availability: z
    .array(availabilitySchema.extend(speedFields))
    .describe("The last 24 hours by quarters of an hour, the oldest first."),
});

/** Neither easy nor hard, and of no special field: models are compared by it where there is no request. */
const EVERYDAY_QUESTION = textInference(
  "Explain in a few sentences how a bicycle stays upright while it moves.",
  normaliseTask("chat"),
);

/** The public words for the states of a circuit breaker. */
const BREAKER_STATE_LABELS = {
  closed: "up",
  open: "left alone",
  "half-open": "on trial",
  ramping: "coming back",
} as const;

export type ModelOffer = ReturnType<typeof toModelOffer>;

/** Predicts how good each model's answer to an everyday question will be for an account. */
export function qualityPredictor({ providers: { catalogue }, routing: { predictor } }: Services, accountId: string) {
  const promptFeatures = predictor.extractFeatures(EVERYDAY_QUESTION, catalogue.all());
  return (model: Model): number | null => {
    // The built-in models are for trying things out: none of them answers everyday questions.
    if (model.wire === "builtin" || (model.type !== "text" && model.type !== "multimodal")) return null;
    const fit = fitTask(model, EVERYDAY_QUESTION.task);
    return Math.round(predictor.predict(model, promptFeatures, fit, accountId).quality * 100) / 100;
  };
}

export function toModelOffer(
  { providers: { catalogue, health } }: Services,
  model: PricedModel,
  day: LastDay,
  predictQuality: (model: Model) => number | null,
) {
  const lastHour = day.lastHourOf(model.id);
  const known = health.of(model.id);
  const { errorRate, ...times } = averagesOf(lastHour);
  return {
    provider: model.provider,
    name: model.name,
    full_name: fullNameOf(model),
    type: model.type,
    description: model.description,
    state: model.state,
    own_key: model.ownKey === true,
    pricing: toPricingResponse(model.price),
    next_pricing: toNextPricingResponse(model.nextPrice),
    provider_pricing: model.ownKey === true ? toProviderPricing(model) : null,
    capabilities: model.capabilities,
    specialties: model.specialties,
    performance: {
      avg_latency_ms: model.avgLatencyMs ?? null,
      accuracy_score: model.accuracyScore ?? null,
      predicted_quality: predictQuality(model),
    },
    cost_efficiency: model.costEfficiency ?? null,
    streaming: model.streaming,
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    data: toDataClaimResponse(model),
    created_at: catalogue.registeredAt(model)?.toISOString() ?? null,
    live: {
      available: known.available,
      state: known.outage === undefined ? BREAKER_STATE_LABELS[known.state] : ("out of service" as const),
      out_of_service_since: known.outage === undefined ? null : new Date(known.outage.sinceMs).toISOString(),
      first_token_p95_ms: known.firstPartP95Ms ?? null,
      ...toSpeed(times),
      error_rate: errorRate ?? 0,
      calls: lastHour.calls,
    },
  };
}

function toProviderPricing(model: Model) {
  const price = knownPriceOf(model);
  return price === undefined ? null : toPricingResponse(price);
}

/** An endpoint's availability in one bucket of its last day. */
export function toAvailability({ atMs, totals }: StatsBucket) {
  return {
    at: new Date(atMs).toISOString(),
    calls: totals.calls,
    failures: totals.failures,
    state: availabilityOf(totals),
  };
}

/** An endpoint's availability and speed in one bucket of its last day. */
export function toAvailabilityDetail(bucket: StatsBucket) {
  return { ...toAvailability(bucket), ...toSpeed(averagesOf(bucket.totals)) };
}

function toSpeed(averages: Omit<ReturnType<typeof averagesOf>, "errorRate">) {
  const tenths = (value: number | undefined) => (value === undefined ? null : Math.round(value * 10) / 10);
  return {
    latency_ms: tenths(averages.latencyMs),
    first_token_ms: tenths(averages.firstPartMs),
    tokens_per_second: tenths(averages.tokensPerSecond),
  };
}

/** The models that a caller may see. */
export function listModelsFor(services: Services, caller: Caller): readonly PricedModel[] {
  return services.providers.providerKeys
    .catalogueFor(caller)
    .all()
    .filter((model) => isVisible(model, caller))
    .filter(isListed);
}

/** Only its owner sees a model that waits for its check, is out of service, or has no readable price. */
export function isListed(model: Model): model is PricedModel {
  return (model.state === "active" || model.state === "probation") && model.price !== undefined;
}
