import type { Caller } from "@trunkline/core/caller.ts";
import { usablePresetsOf } from "@trunkline/core/caller-presets.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { isAllowed, isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { controlEndpoint, type Endpoint } from "../../endpoints/endpoint.ts";
import { isListed } from "../../responses/model-offer.ts";
import { AUTO_MODEL_NAMES } from "../shared-fields.ts";
import { openAiDialect } from "./dialect.ts";

const modelResponseSchema = z.object({
  id: z.string().describe("What to send as `model`."),
  object: z.literal("model"),
  created: z.number().describe("In seconds since 1970; 0 where it came with the service."),
  owned_by: z.string(),
});

/** Applications list models to offer a choice, with the same key that they send requests with. */
const modelEndpointDefaults = {
  method: "GET",
  permission: "inference.use",
  status: 200,
  tag: "OpenAI-compatible",
  dialect: openAiDialect,
} as const;

const listModels = controlEndpoint({
  ...modelEndpointDefaults,
  path: "/openai/v1/models",
  summary: "List models, in OpenAI's form",
  description:
    "All that this key may use, each as `provider/name`, the names that leave the choice to us, and the account's presets.",
  faults: [],
  response: z.object({ object: z.literal("list"), data: z.array(modelResponseSchema) }),
  async handle({ services, caller }) {
    const models = services.providers.providerKeys
      .catalogueFor(caller)
      .all()
      .filter((model) => isAvailable(model, caller));
    return {
      object: "list",
      data: [
        ...AUTO_MODEL_NAMES.map(toAutoModelResponse),
        ...usablePresetsOf(caller).map(toAutoModelResponse),
        ...models.map((model) => toModelResponse(services, model)),
      ],
    };
  },
});

const getModel = controlEndpoint({
  ...modelEndpointDefaults,
  // A wildcard, since names can hold slashes.
  path: "/openai/v1/models/*",
  summary: "One model, in OpenAI's form",
  faults: ["model_not_found"],
  response: modelResponseSchema,
  async handle({ services, caller, params }) {
    const name = params["*"] ?? "";
    if (AUTO_MODEL_NAMES.includes(name) || usablePresetsOf(caller).includes(name)) return toAutoModelResponse(name);
    const model = services.providers.providerKeys
      .catalogueFor(caller)
      .byName(name)
      .find((found) => isAvailable(found, caller));
    if (model === undefined) {
      throw new Fault(
        "model_not_found",
        `There is no model "${truncateText(name, 128)}". List them with GET /openai/v1/models.`,
        { param: "model" },
      );
    }
    return { ...toModelResponse(services, model), id: name };
  },
});

function isAvailable(model: Model, caller: Caller): boolean {
  return isListed(model) && isVisible(model, caller) && isAllowed(model, caller);
}

function toModelResponse(services: Services, model: Model): z.infer<typeof modelResponseSchema> {
  const registeredMs = services.providers.catalogue.registeredAt(model)?.getTime() ?? 0;
  return {
    id: fullNameOf(model),
    object: "model",
    created: Math.floor(registeredMs / 1_000),
    owned_by: model.provider,
  };
}

function toAutoModelResponse(id: string): z.infer<typeof modelResponseSchema> {
  return { id, object: "model", created: 0, owned_by: "trunkline" };
}

export const openAiModelEndpoints: readonly Endpoint[] = [listModels, getModel];
