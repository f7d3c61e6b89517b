import { Fault } from "@trunkline/core/fault.ts";
import { storableText } from "@trunkline/core/field-schemas.ts";
import { defaultAuthType } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { refuseMissingCredential } from "@trunkline/providers/catalogue/model-validation.ts";
import { checkEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import {
  type EndpointModel,
  IMPORTED_MODELS_MAX,
  listEndpointModels,
} from "@trunkline/providers/discovery/endpoint-models.ts";
import { z } from "zod";
import {
  modelNameSchema,
  modelTermsSchema,
  pricingSchema,
  requirePrices,
  toModelTerms,
  toPricingResponse,
} from "../../requests/model-schema.ts";
import { toRegisteredModelResponses } from "../../responses/registered-model.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { registeredModelResponseSchema } from "./models.ts";

const connectionSchema = z.object({
  wire: modelTermsSchema.shape.wire.unwrap().describe("The format that the endpoint speaks."),
  endpoint: storableText(z.string().min(1).max(2_048)).describe("The base URL of its API."),
  auth_type: modelTermsSchema.shape.auth_type,
  credential: modelTermsSchema.shape.credential,
});

const endpointModelSchema = z.object({
  name: z.string().describe("A name that it can be registered under."),
  upstream_model: z.string().describe("The endpoint's own name for it."),
  type: modelTermsSchema.shape.type,
  description: z.string(),
  pricing: pricingSchema.nullable().describe("null: unknown, and to be set before it can be registered."),
  pricing_source: z
    .string()
    .nullable()
    .describe("`endpoint`: its list says so. Otherwise the known provider whose list price it is; null: unknown."),
  capabilities: z.array(z.string()),
  streaming: z.boolean(),
  context_window: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  registered: z.boolean().describe("Whether you have a model of this name, or this one under another name."),
});

const listEndpoint = controlEndpoint({
  method: "POST",
  path: "/v1/provider/models/discover",
  permission: "provider.change",
  audit: null,
  status: 200,
  tag: "Providers",
  summary: "List the models at an endpoint, with the prices that are known",
  description:
    "Asks the endpoint for its models by the given credential, and stores nothing. `endpoint` in the response is the base URL as it was found: an operation such as `/chat/completions` is cut off, and a missing `/v1` added. For the formats openai, anthropic, gemini and cohere; the first 500 models.",
  faults: [],
  body: connectionSchema,
  response: z.object({ endpoint: z.string(), data: z.array(endpointModelSchema) }),
  async handle({ services, caller, body, signal }) {
    const credential = body.credential == null ? undefined : new Secret(body.credential);
    const authType = body.auth_type ?? (credential === undefined ? "none" : defaultAuthType(body.wire));
    refuseMissingCredential(authType, credential !== undefined);
    const mayDialPrivate = caller.scopes.has("admin");
    const problem = await checkEndpoint(body.endpoint, mayDialPrivate);
    if (problem !== undefined) throw new Fault("invalid_request", problem, { param: "endpoint" });
    const query = { wire: body.wire, endpoint: body.endpoint, authType, credential, mayDialPrivate };
    const { endpoint, models } = await listEndpointModels(services.providers.dialer, query, signal);
    const own = services.providers.models.list(caller);
    const isRegistered = ({ name, upstreamModel }: EndpointModel) =>
      own.some(
        (model) =>
          (model.provider === caller.provider && model.name === name) ||
          (model.endpoint === endpoint && (model.upstreamModel ?? model.name) === upstreamModel),
      );
    return { endpoint, data: models.map((model) => toEndpointModelResponse(model, isRegistered(model))) };
  },
});

function toEndpointModelResponse(model: EndpointModel, registered: boolean) {
  return {
    name: model.name,
    upstream_model: model.upstreamModel,
    type: model.type,
    description: model.description,
    pricing: model.price === undefined ? null : toPricingResponse(model.price),
    pricing_source: model.priceSource ?? null,
    capabilities: [...model.capabilities],
    streaming: model.streaming,
    context_window: model.contextWindow ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    registered,
  };
}

const importedModelSchema = modelTermsSchema
  .pick({
    type: true,
    description: true,
    upstream_model: true,
    pricing: true,
    capabilities: true,
    streaming: true,
    context_window: true,
    max_output_tokens: true,
  })
  .extend({ name: modelNameSchema })
  .superRefine(requirePrices);

const importModels = controlEndpoint({
  method: "POST",
  path: "/v1/provider/models/import",
  permission: "provider.change",
  audit: {
    action: "model.import",
    // Of the URL only the host: the rest may hold a secret.
    details: ({ body }) => ({
      host: URL.canParse(body.endpoint) ? new URL(body.endpoint).host : null,
      models: body.models.map(({ name }) => name),
    }),
  },
  status: 201,
  tag: "Providers",
  summary: "Register several models of one endpoint at once",
  description:
    "All of them are registered or, where one is refused, none; `param` names the field of the one that is wrong, such as `models[2].pricing.input_per_1k_tokens`. What holds for a single registration holds for each.",
  faults: ["conflict"],
  body: connectionSchema.extend({ models: z.array(importedModelSchema).min(1).max(IMPORTED_MODELS_MAX) }),
  response: z.object({ data: z.array(registeredModelResponseSchema) }),
  async handle({ services, caller, body }) {
    const { models, ...connection } = body;
    const entries = models.map(({ name, ...terms }) => ({ name, terms: toModelTerms({ ...connection, ...terms }) }));
    const registered = await services.providers.models.registerAll(caller, entries);
    return { data: await toRegisteredModelResponses(services, registered) };
  },
});

export const modelImportEndpoints: readonly Endpoint[] = [listEndpoint, importModels];
