import { fullNameOf } from "@trunkline/core/model.ts";
import { checkModel } from "@trunkline/providers/conformance/check-model.ts";
import { z } from "zod";
import { createWebhookEvent } from "../../../notify/webhooks/deliver.ts";
import type { PriceVersion } from "../../../store/models/price-versions.ts";
import {
  modelStateSchema,
  modelTermsSchema,
  nextPricingSchema,
  pricingSchema,
  registerModelSchema,
  toModelChange,
  toModelTerms,
  toNextPricingResponse,
  toPricingResponse,
  updateModelSchema,
} from "../../requests/model-schema.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { toRegisteredModelResponse, toRegisteredModelResponses } from "../../responses/registered-model.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const findingSchema = z.object({
  check: z.string(),
  verdict: z.enum(["pass", "warn", "fail"]),
  message: z.string(),
});

export const registeredModelResponseSchema = z
  .object({
    ...modelTermsSchema.omit({ credential: true }).shape,
    pricing: pricingSchema.nullable().describe("null: it can't be read, and the model is not called."),
    next_pricing: nextPricingSchema,
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    state: modelStateSchema,
    declared: z.boolean().describe("Declared in the configuration file, and changed only there."),
    has_credential: z.boolean(),
    price_version: z.string().nullable(),
    created_at: z.string(),
    reconciliation: z
      .object({
        flagged: z.boolean(),
        flagged_days: z.int(),
        last_flagged_day: z.string().nullable(),
        last_reported_at: z.string().nullable(),
      })
      .describe("Where it stands with your own usage reports: the newest of each day counts."),
    health: z
      .object({
        available: z.boolean().describe("Whether it would be called now."),
        breaker: z
          .enum(["closed", "open", "half-open", "ramping"])
          .describe("ramping: it answered again, and gets a growing share of the calls."),
        calls: z.number(),
        error_rate: z.number().describe("0 to 1, of recent calls."),
        latency_ms: z.number().nullable(),
        latency_p95_ms: z.number().nullable().describe("Of the last 64 answers; null until there are 8."),
        first_part_ms: z.number().nullable(),
        first_part_p95_ms: z.number().nullable().describe("Of the last 64 answers; null until there are 8."),
        tokens_per_second: z.number().nullable(),
        in_flight: z.int().describe("Calls of this instance that run now."),
        room: z.int().nullable().describe("Calls that your endpoint said it still takes until its limit is reset."),
        outage: z
          .object({
            why: z.enum(["credential", "funds"]),
            reason: z.string(),
            since: z.string(),
            next_try_at: z.string(),
          })
          .nullable()
          .describe(
            "Your endpoint refuses our credential, or says that nothing is paid for. It is tried only rarely until you change the model or it passes its check.",
          ),
      })
      .describe("From the calls of this instance, and of the others where it made none of late."),
    last_check: z
      .object({ passed: z.boolean(), checked_at: z.string(), findings: z.array(findingSchema) })
      .nullable()
      .describe("What the last conformance check saw."),
  })
  .loose();

const registerModel = controlEndpoint({
  method: "POST",
  path: "/v1/provider/models",
  permission: "provider.change",
  audit: { action: "model.register" },
  status: 201,
  tag: "Providers",
  summary: "Register a model",
  description:
    "The endpoint must be `https` on a public address; a key with the scope `admin` may register `http` and private addresses. An operator's model is routed at once; another account's must pass its conformance check first.",
  faults: ["conflict"],
  body: registerModelSchema,
  response: registeredModelResponseSchema,
  handle: async ({ services, caller, body }) =>
    toRegisteredModelResponse(
      services,
      await services.providers.models.register(caller, body.name, toModelTerms(body)),
    ),
});

const listModels = controlEndpoint({
  method: "GET",
  path: "/v1/provider/models",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "List the models you registered",
  faults: [],
  response: z.object({ data: z.array(registeredModelResponseSchema), next_cursor: z.null() }),
  handle: async ({ services, caller }) => ({
    data: await toRegisteredModelResponses(services, services.providers.models.list(caller)),
    next_cursor: null,
  }),
});

const readModel = controlEndpoint({
  method: "GET",
  path: "/v1/provider/models/:name",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "Read a model you registered",
  faults: ["not_found"],
  response: registeredModelResponseSchema,
  handle: async ({ services, caller, params }) =>
    toRegisteredModelResponse(services, services.providers.models.find(caller, params.name ?? "")),
});

const changeModel = controlEndpoint({
  method: "PATCH",
  path: "/v1/provider/models/:name",
  permission: "provider.change",
  audit: { action: "model.change" },
  status: 200,
  tag: "Providers",
  summary: "Change a model you registered",
  description:
    "What is not given stays. A new price is a new version; running requests keep the one they were quoted. Another origin of the endpoint, another `wire` or another `auth_type` needs its own `credential` in the same body, and is checked again before it is routed. Of accounts other than the operator's, what becomes dearer holds only after the notice period, and is shown as `next_pricing` until then.",
  faults: ["not_found", "conflict"],
  body: updateModelSchema,
  response: registeredModelResponseSchema,
  async handle({ services, caller, params, body }) {
    const before = services.providers.models.find(caller, params.name ?? "").nextPrice?.price.version;
    const model = await services.providers.models.change(caller, params.name ?? "", toModelChange(body), body.state);
    const { nextPrice } = model;
    if (nextPrice !== undefined && nextPrice.price.version !== before) {
      const data = {
        model: fullNameOf(model),
        pricing: model.price === undefined ? null : toPricingResponse(model.price),
        next_pricing: toNextPricingResponse(nextPrice),
      };
      await services.providers.modelStore.notifyUsers(model, () =>
        createWebhookEvent("model.price_rise", data, services.clock.now()),
      );
    }
    services.providers.health.reset(model.id);
    return toRegisteredModelResponse(services, model);
  },
});

const listPrices = controlEndpoint({
  method: "GET",
  path: "/v1/provider/models/:name/prices",
  permission: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "Every price a model of yours has had, newest first",
  description: "A request is charged by the version it was quoted; its record names it as `price_version`.",
  faults: ["not_found"],
  query: pageQuery,
  response: pageResponseSchema(
    z.object({
      version: z.string(),
      since: z.string().describe("When it became the price."),
      pricing: pricingSchema.nullable().describe("null: it can't be read."),
    }),
  ),
  handle: async ({ services, caller, params, query }) => {
    const { id } = services.providers.models.find(caller, params.name ?? "");
    return listPage(
      query,
      (limit, cursor) => services.providers.modelStore.pricesOf(id, limit, cursor),
      toPriceVersionResponse,
      (cursor) => /^[1-9]\d{0,17}$/.test(cursor),
    );
  },
});

function toPriceVersionResponse({ id, price, since }: PriceVersion) {
  return {
    version: id,
    since: since.toISOString(),
    pricing: price === undefined ? null : toPricingResponse(price),
  };
}

const withdrawModel = controlEndpoint({
  method: "DELETE",
  path: "/v1/provider/models/:name",
  permission: "provider.change",
  audit: { action: "model.withdraw" },
  status: 204,
  tag: "Providers",
  summary: "Withdraw a model",
  faults: ["not_found", "conflict"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.providers.models.withdraw(caller, params.name ?? ""),
});

const runConformanceCheck = controlEndpoint({
  method: "POST",
  path: "/v1/provider/models/:name/check",
  permission: "provider.change",
  audit: { action: "model.check" },
  status: 200,
  tag: "Providers",
  summary: "Run the conformance check",
  description:
    "Calls the endpoint as a client would and says, finding by finding, what it saw. A pending model that passes is routed.",
  faults: ["not_found"],
  response: z.object({
    passed: z.boolean(),
    state: modelStateSchema,
    checked_at: z.string(),
    findings: z.array(findingSchema),
  }),
  async handle({ services, caller, params, signal }) {
    const model = services.providers.models.find(caller, params.name ?? "");
    const { passed, findings } = await checkModel(services.providers, model, signal);
    const checkedAt = new Date(services.clock.now());
    await services.providers.modelStore.saveCheck(model.id, { passed, findings, checkedAt });
    if (passed) await services.providers.models.onCheckPassed(caller, model);
    if (passed) services.providers.health.confirmed(model.id);
    const { state } = services.providers.models.find(caller, fullNameOf(model));
    return { passed, state, checked_at: checkedAt.toISOString(), findings };
  },
});

export const providerModelEndpoints: readonly Endpoint[] = [
  registerModel,
  listModels,
  readModel,
  changeModel,
  listPrices,
  withdrawModel,
  runConformanceCheck,
];
