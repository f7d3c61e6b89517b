import { storableText } from "@trunkline/core/field-schemas.ts";
import { canaryShareOf, fullNameOf, MODEL_STATES, weightOf } from "@trunkline/core/model.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import {
  modelStateSchema,
  pricingSchema,
  toPricingResponse,
  toTrafficShare,
  trafficShareSchema,
} from "../../requests/model-schema.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const operatorModelResponseSchema = z.object({
  id: z.string(),
  full_name: z.string(),
  name: z.string(),
  provider: z.string(),
  account_id: z.string(),
  type: z.string(),
  description: z.string(),
  endpoint: z.string(),
  state: modelStateSchema,
  blocked_reason: z.string().nullable().describe("Why the operator has taken it out of service."),
  declared: z.boolean().describe("Declared in the configuration file."),
  weight: z.int().describe("How much of the load it takes among equal providers of its name."),
  canary_share: z.number().describe("In how much of the automatic requests it takes part."),
  pricing: pricingSchema.nullable(),
  created_at: z.string(),
  live: z.object({
    available: z.boolean(),
    calls: z.int(),
    error_rate: z.number(),
    latency_ms: z.number().nullable(),
  }),
});

const listModels = controlEndpoint({
  method: "GET",
  path: "/v1/admin/models",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List the models of all accounts, newest first",
  faults: [],
  query: pageQuery.extend({
    state: z.enum(MODEL_STATES).optional(),
    provider: z.string().optional(),
    q: z.string().trim().min(1).max(200).optional().describe("Part of `provider/name`."),
  }),
  response: pageResponseSchema(operatorModelResponseSchema),
  handle: ({ services, query }) =>
    listPage(
      query,
      async (limit, cursor) =>
        services.providers.catalogue
          .registered()
          .filter(
            (model) =>
              (cursor === undefined || model.id < cursor) &&
              (query.state === undefined || model.state === query.state) &&
              (query.provider === undefined || model.provider === query.provider) &&
              (query.q === undefined || fullNameOf(model).toLowerCase().includes(query.q.toLowerCase())),
          )
          .toSorted((a, b) => (a.id < b.id ? 1 : -1))
          .slice(0, limit),
      (model) => toOperatorModelResponse(services, model),
    ),
});

const approveModel = controlEndpoint({
  method: "POST",
  path: "/v1/admin/models/:id/approve",
  permission: "operator.change",
  audit: { action: "model.approve" },
  status: 200,
  tag: "Operator",
  summary: "Route to a model at once",
  description: "Without waiting for its check or its probation. Also puts back what was suspended.",
  faults: ["not_found"],
  response: operatorModelResponseSchema,
  handle: async ({ services, params }) =>
    toOperatorModelResponse(services, await services.providers.models.approve(params.id ?? "")),
});

const suspendModel = controlEndpoint({
  method: "POST",
  path: "/v1/admin/models/:id/suspend",
  permission: "operator.change",
  audit: { action: "model.suspend", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Take a model out of service",
  description: "Its provider can't put it back; only the operator can, by approving it.",
  faults: ["not_found"],
  body: z.object({ reason: storableText(z.string().trim().min(1).max(500)) }),
  response: operatorModelResponseSchema,
  handle: async ({ services, params, body }) =>
    toOperatorModelResponse(services, await services.providers.models.block(params.id ?? "", body.reason)),
});

const setTrafficShare = controlEndpoint({
  method: "PATCH",
  path: "/v1/admin/models/:id",
  permission: "operator.change",
  audit: { action: "model.share", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Set how much of the traffic a model gets",
  description: "Of any account's model, also of one that is declared or was found by a key. What is not given stays.",
  faults: ["not_found"],
  body: trafficShareSchema,
  response: operatorModelResponseSchema,
  handle: async ({ services, params, body }) =>
    toOperatorModelResponse(
      services,
      await services.providers.models.setTrafficShare(params.id ?? "", toTrafficShare(body)),
    ),
});

function toOperatorModelResponse(services: Services, model: RegisteredModel) {
  const { available, calls, errorRate, latencyMs } = services.providers.health.of(model.id);
  return {
    id: model.id,
    full_name: fullNameOf(model),
    name: model.name,
    provider: model.provider,
    account_id: model.accountId,
    type: model.type,
    description: model.description,
    endpoint: model.endpoint,
    state: model.state,
    blocked_reason: model.blockedReason ?? null,
    declared: model.declared,
    weight: weightOf(model),
    canary_share: canaryShareOf(model),
    pricing: model.price === undefined ? null : toPricingResponse(model.price),
    created_at: model.createdAt.toISOString(),
    live: {
      available,
      calls,
      error_rate: errorRate,
      latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
    },
  };
}

export const operatorModelEndpoints: readonly Endpoint[] = [listModels, setTrafficShare, approveModel, suspendModel];
