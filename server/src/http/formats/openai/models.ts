import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { beginningOf } from "@trunkline/core/whole-characters.ts";
import { isAllowed, isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { control, type Endpoint } from "../../endpoints/endpoint.ts";
import { isListed } from "../../responses/model-offer.ts";
import { AUTO_NAMES } from "../read-model.ts";
import { openAiDialect } from "./dialect.ts";

const modelShown = z.object({
  id: z.string().describe("What to send as `model`."),
  object: z.literal("model"),
  created: z.number().describe("In seconds since 1970; 0 where it came with the service."),
  owned_by: z.string(),
});

/** Applications list models to offer a choice, with the very key that they then ask with. */
const shared = {
  method: "GET",
  power: "inference.use",
  status: 200,
  tag: "OpenAI-compatible",
  dialect: openAiDialect,
} as const;

const listModels = control({
  ...shared,
  path: "/openai/v1/models",
  summary: "List models, in OpenAI's form",
  description:
    "All that this key may use, each as `provider/name`, and the names that leave the choice to us.",
  faults: [],
  answer: z.object({ object: z.literal("list"), data: z.array(modelShown) }),
  async handle({ house, caller }) {
    const models = house.ownKeys
      .catalogueFor(caller)
      .all()
      .filter((model) => isOffered(model, caller));
    return {
      object: "list",
      data: [...AUTO_NAMES.map(showAuto), ...models.map((model) => showModel(house, model))],
    };
  },
});

const readModel = control({
  ...shared,
  // A wildcard, since names hold slashes.
  path: "/openai/v1/models/*",
  summary: "One model, in OpenAI's form",
  faults: ["model_not_found"],
  answer: modelShown,
  async handle({ house, caller, params }) {
    const name = params["*"] ?? "";
    if (AUTO_NAMES.includes(name)) return showAuto(name);
    const model = house.ownKeys
      .catalogueFor(caller)
      .byName(name)
      .find((found) => isOffered(found, caller));
    if (model === undefined) {
      throw new Fault(
        "model_not_found",
        `There is no model "${beginningOf(name, 128)}". List them with GET /openai/v1/models.`,
        { param: "model" },
      );
    }
    return { ...showModel(house, model), id: name };
  },
});

function isOffered(model: Model, caller: Caller): boolean {
  return isListed(model) && isVisible(model, caller) && isAllowed(model, caller);
}

function showModel(house: House, model: Model): z.infer<typeof modelShown> {
  const registeredMs = house.catalogue.registeredAt(model)?.getTime() ?? 0;
  return {
    id: fullNameOf(model),
    object: "model",
    created: Math.floor(registeredMs / 1_000),
    owned_by: model.provider,
  };
}

function showAuto(id: string): z.infer<typeof modelShown> {
  return { id, object: "model", created: 0, owned_by: "trunkline" };
}

export const openAiModelEndpoints: readonly Endpoint[] = [listModels, readModel];
