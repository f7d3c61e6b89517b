import { Fault } from "@trunkline/core/fault.ts";
import { truncateText } from "@trunkline/core/whole-characters.ts";
import { isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { z } from "zod";
import {
  isListed,
  listModelsFor,
  modelTypeSchema,
  offerDetailSchema,
  toAvailabilityDetail,
  toModelOffer,
} from "../../responses/model-offer.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const listModels = controlEndpoint({
  method: "GET",
  path: "/v1/models",
  permission: "models.read",
  status: 200,
  tag: "Models",
  summary: "List models",
  faults: [],
  query: z.object({
    type: modelTypeSchema.optional(),
    capability: z.string().optional(),
    provider: z.string().optional(),
  }),
  response: z.array(z.object({ name: z.string(), type: modelTypeSchema })),
  async handle({ services, caller, query }) {
    const listed = new Map<string, { name: string; type: string }>();
    for (const model of listModelsFor(services, caller)) {
      if (listed.has(model.name)) continue;
      if (query.type !== undefined && model.type !== query.type) continue;
      if (query.provider !== undefined && model.provider !== query.provider) continue;
      if (query.capability !== undefined && !model.capabilities.includes(query.capability.toLowerCase()))
        continue;
      listed.set(model.name, { name: model.name, type: model.type });
    }
    return [...listed.values()];
  },
});

const readModel = controlEndpoint({
  method: "GET",
  // A wildcard, since `provider/name` is a name too.
  path: "/v1/models/*",
  permission: "models.read",
  status: 200,
  tag: "Models",
  summary: "Everything public about a model",
  faults: ["model_not_found"],
  response: z.object({ name: z.string(), type: modelTypeSchema, providers: z.array(offerDetailSchema) }),
  async handle({ services, caller, params }) {
    const name = params["*"] ?? "";
    const models = services.providerKeys
      .catalogueFor(caller)
      .byName(name)
      .filter((model) => isVisible(model, caller))
      .filter(isListed);
    const first = models[0];
    if (first === undefined) {
      throw new Fault(
        "model_not_found",
        `There is no model "${truncateText(name, 128)}". List them with GET /v1/models.`,
        { param: "name" },
      );
    }
    const day = await services.endpointStats.lastDayByQuarterHour(models.map(({ id }) => id));
    const providers = models.map((model) => ({
      ...toModelOffer(services, model, day),
      availability: day.bucketsOf(model.id).map(toAvailabilityDetail),
    }));
    return { name: first.name, type: first.type, providers };
  },
});

export const modelEndpoints: readonly Endpoint[] = [listModels, readModel];
