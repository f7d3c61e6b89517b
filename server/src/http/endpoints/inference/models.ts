import { Fault } from "@trunkline/core/fault.ts";
import { beginningOf } from "@trunkline/core/whole-characters.ts";
import { isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { z } from "zod";
import {
  isListed,
  listedFor,
  modelType,
  offerToWire,
  wholeOffer,
  wholeStretchToWire,
} from "../../responses/model-offer.ts";
import { control, type Endpoint } from "../endpoint.ts";

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
  async handle({ house, caller, query }) {
    const listed = new Map<string, { name: string; type: string }>();
    for (const model of listedFor(house, caller)) {
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

const readModel = control({
  method: "GET",
  // A wildcard, since `provider/name` is a name too.
  path: "/v1/models/*",
  power: "models.read",
  status: 200,
  tag: "Models",
  summary: "Everything public about a model",
  faults: ["model_not_found"],
  answer: z.object({ name: z.string(), type: modelType, providers: z.array(wholeOffer) }),
  async handle({ house, caller, params }) {
    const name = params["*"] ?? "";
    const models = house.ownKeys
      .catalogueFor(caller)
      .byName(name)
      .filter((model) => isVisible(model, caller))
      .filter(isListed);
    const first = models[0];
    if (first === undefined) {
      throw new Fault(
        "model_not_found",
        `There is no model "${beginningOf(name, 128)}". List them with GET /v1/models.`,
        { param: "name" },
      );
    }
    const day = await house.board.quarters(models.map(({ id }) => id));
    const providers = models.map((model) => ({
      ...offerToWire(house, model, day),
      availability: day.stretchesOf(model.id).map(wholeStretchToWire),
    }));
    return { name: first.name, type: first.type, providers };
  },
});

export const modelEndpoints: readonly Endpoint[] = [listModels, readModel];
