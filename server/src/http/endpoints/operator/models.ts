import { canaryShareOf, fullNameOf, MODEL_STATES, weightOf } from "@trunkline/core/model.ts";
import { storable } from "@trunkline/core/storable.ts";
import type { RegisteredModel } from "@trunkline/providers/catalogue/model-store.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { modelState, pricing, pricingOf } from "../../requests/model.ts";
import { modelShare, shareOf } from "../../requests/model-share.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { control, type Endpoint } from "../endpoint.ts";

const shown = z.object({
  id: z.string(),
  full_name: z.string(),
  name: z.string(),
  provider: z.string(),
  account_id: z.string(),
  type: z.string(),
  description: z.string(),
  endpoint: z.string(),
  state: modelState,
  blocked_reason: z.string().nullable().describe("Why the operator has taken it out of service."),
  declared: z.boolean().describe("Declared in the configuration file."),
  weight: z.int().describe("How much of the load it takes among equal providers of its name."),
  canary_share: z.number().describe("In how much of the automatic requests it takes part."),
  pricing: pricing.nullable(),
  created_at: z.string(),
  live: z.object({
    available: z.boolean(),
    calls: z.int(),
    error_rate: z.number(),
    latency_ms: z.number().nullable(),
  }),
});

const listModels = control({
  method: "GET",
  path: "/v1/admin/models",
  power: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List the models of all accounts, newest first",
  faults: [],
  query: pageQuery.extend({
    state: z.enum(MODEL_STATES).optional(),
    provider: z.string().optional(),
    q: z.string().trim().min(1).max(200).optional().describe("Part of `provider/name`."),
  }),
  answer: pageOf(shown),
  handle: ({ house, query }) =>
    listPage(
      query,
      async (limit, cursor) =>
        house.catalogue
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
      (model) => modelToWire(house, model),
    ),
});

const approveModel = control({
  method: "POST",
  path: "/v1/admin/models/:id/approve",
  power: "operator.change",
  deed: { action: "model.approve" },
  status: 200,
  tag: "Operator",
  summary: "Route to a model at once",
  description: "Without waiting for its check or its probation. Also puts back what was suspended.",
  faults: ["not_found"],
  answer: shown,
  handle: async ({ house, params }) => modelToWire(house, await house.models.approve(params.id ?? "")),
});

const suspendModel = control({
  method: "POST",
  path: "/v1/admin/models/:id/suspend",
  power: "operator.change",
  deed: { action: "model.suspend", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Take a model out of service",
  description: "Its provider can't put it back; only the operator can, by approving it.",
  faults: ["not_found"],
  body: z.object({ reason: storable(z.string().trim().min(1).max(500)) }),
  answer: shown,
  handle: async ({ house, params, body }) =>
    modelToWire(house, await house.models.block(params.id ?? "", body.reason)),
});

const shareModel = control({
  method: "PATCH",
  path: "/v1/admin/models/:id",
  power: "operator.change",
  deed: { action: "model.share", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Set how much of the traffic a model gets",
  description:
    "Of any account's model, also of one that is declared or was found by a key. What is not given stays.",
  faults: ["not_found"],
  body: modelShare,
  answer: shown,
  handle: async ({ house, params, body }) =>
    modelToWire(house, await house.models.share(params.id ?? "", shareOf(body))),
});

function modelToWire(house: House, model: RegisteredModel) {
  const { available, calls, errorRate, latencyMs } = house.health.of(model.id);
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
    pricing: model.price === undefined ? null : pricingOf(model.price),
    created_at: model.createdAt.toISOString(),
    live: {
      available,
      calls,
      error_rate: errorRate,
      latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
    },
  };
}

export const operatorModelEndpoints: readonly Endpoint[] = [
  listModels,
  shareModel,
  approveModel,
  suspendModel,
];
