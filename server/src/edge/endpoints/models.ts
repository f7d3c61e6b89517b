import { z } from "zod";
import { MODEL_TYPES, type Model, type PricedModel } from "../../domain/model.ts";
import { Fault } from "../../kit/fault.ts";
import { modelState, pricing, pricingOf } from "../../wire/model.ts";
import { control, type Endpoint } from "../endpoint.ts";

const modelType = z.enum(MODEL_TYPES);

const listModels = control({
  method: "GET",
  path: "/v1/models",
  power: "models.read",
  status: 200,
  tag: "Models",
  summary: "List models",
  faults: [],
  query: z.object({
    type: modelType.optional(),
    capability: z.string().optional(),
    provider: z.string().optional(),
  }),
  answer: z.array(z.object({ name: z.string(), type: modelType })),
  async handle({ house, query }) {
    const listed = new Map<string, { name: string; type: string }>();
    for (const model of house.catalogue.all()) {
      if (!isListed(model) || listed.has(model.name)) continue;
      if (query.type !== undefined && model.type !== query.type) continue;
      if (query.provider !== undefined && model.provider !== query.provider) continue;
      if (query.capability !== undefined && !model.capabilities.includes(query.capability.toLowerCase()))
        continue;
      listed.set(model.name, { name: model.name, type: model.type });
    }
    return [...listed.values()];
  },
});

const offer = z.object({
  provider: z.string(),
  name: z.string(),
  type: modelType,
  description: z.string(),
  state: modelState,
  pricing,
  capabilities: z.array(z.string()),
  specialties: z.array(z.string()),
  performance: z.object({ avg_latency_ms: z.number().nullable(), accuracy_score: z.number().nullable() }),
  cost_efficiency: z.string().nullable(),
  streaming: z.boolean(),
  context_window: z.number().nullable(),
  max_output_tokens: z.number().nullable(),
  live: z.object({
    available: z.boolean(),
    latency_ms: z.number().nullable(),
    first_token_ms: z.number().nullable(),
    tokens_per_second: z.number().nullable(),
    error_rate: z.number(),
    calls: z.number(),
  }),
});

const readModel = control({
  method: "GET",
  // A wildcard, since `provider/name` is a name too.
  path: "/v1/models/*",
  power: "models.read",
  status: 200,
  tag: "Models",
  summary: "Everything public about a model",
  faults: ["model_not_found"],
  answer: z.object({ name: z.string(), type: modelType, providers: z.array(offer) }),
  async handle({ house, params }) {
    const name = params["*"] ?? "";
    const models = house.catalogue.byName(name).filter(isListed);
    const first = models[0];
    if (first === undefined) {
      throw new Fault(
        "model_not_found",
        `There is no model "${name.slice(0, 128)}". List them with GET /v1/models.`,
        { param: "name" },
      );
    }
    const providers = models.map((model) => {
      const health = house.health.of(model.id);
      return {
        provider: model.provider,
        name: model.name,
        type: model.type,
        description: model.description,
        state: model.state,
        pricing: pricingOf(model.price),
        capabilities: model.capabilities,
        specialties: model.specialties,
        performance: {
          avg_latency_ms: model.avgLatencyMs ?? null,
          accuracy_score: model.accuracyScore ?? null,
        },
        cost_efficiency: model.costEfficiency ?? null,
        streaming: model.streaming,
        context_window: model.contextWindow ?? null,
        max_output_tokens: model.maxOutputTokens ?? null,
        live: {
          available: health.available,
          latency_ms: health.latencyMs ?? null,
          first_token_ms: health.firstPartMs ?? null,
          tokens_per_second: health.tokensPerSecond ?? null,
          error_rate: health.errorRate,
          calls: health.calls,
        },
      };
    });
    return { name: first.name, type: first.type, providers };
  },
});

/** What waits for its check, was taken out or has no price that is known is nobody's business but its owner's. */
function isListed(model: Model): model is PricedModel {
  return (model.state === "active" || model.state === "probation") && model.price !== undefined;
}

export const modelEndpoints: readonly Endpoint[] = [listModels, readModel];
