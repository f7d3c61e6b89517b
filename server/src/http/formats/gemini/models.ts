import { z } from "zod";
import { controlEndpoint, type Endpoint } from "../../endpoints/endpoint.ts";
import { type ChatModel, findChatModel, listChatModels } from "../chat-models.ts";
import { geminiDialect } from "./dialect.ts";

const modelResponseSchema = z.object({
  name: z.string().describe("`models/` and the model's name."),
  baseModelId: z.string(),
  version: z.string(),
  displayName: z.string(),
  description: z.string(),
  inputTokenLimit: z.number().optional(),
  outputTokenLimit: z.number().optional(),
  supportedGenerationMethods: z.array(z.string()),
});

const modelEndpointDefaults = {
  method: "GET",
  dialect: geminiDialect,
  permission: "inference.use",
  status: 200,
  tag: "Gemini",
} as const;

/** The chat models, in Google's format. */
export function geminiModelEndpoints(version: "v1beta" | "v1"): Endpoint[] {
  const listModels = controlEndpoint({
    ...modelEndpointDefaults,
    path: `/gemini/${version}/models`,
    summary: "List the models that can be talked to, in Google's form",
    faults: [],
    query: z.object({
      pageSize: z.coerce.number().int().min(1).max(1_000).default(50),
      pageToken: z.string().optional().describe("`nextPageToken` of the page before."),
    }),
    response: z.object({ models: z.array(modelResponseSchema), nextPageToken: z.string().optional() }),
    async handle({ services, caller, query: { pageSize, pageToken } }) {
      const all = listChatModels(services, caller);
      const from = pageToken === undefined ? 0 : all.findIndex(({ name }) => name === pageToken) + 1;
      const page = all.slice(from, from + pageSize);
      const last = page.at(-1);
      const hasMore = last !== undefined && from + pageSize < all.length;
      return { models: page.map(toModelResponse), ...(hasMore ? { nextPageToken: last.name } : {}) };
    },
  });

  const readModel = controlEndpoint({
    ...modelEndpointDefaults,
    // A wildcard, since a name can be `provider/name`.
    path: `/gemini/${version}/models/*`,
    summary: "One model, in Google's form",
    faults: ["model_not_found"],
    response: modelResponseSchema,
    handle: async ({ services, caller, params }) => toModelResponse(findChatModel(services, caller, params["*"] ?? "")),
  });

  return [listModels, readModel];
}

function toModelResponse({ name, model }: ChatModel): z.infer<typeof modelResponseSchema> {
  return {
    name: `models/${name}`,
    baseModelId: name,
    version: "1",
    displayName: name,
    description: model?.description ?? "Leaves the choice of a model to the service.",
    ...(model?.contextWindow === undefined ? {} : { inputTokenLimit: model.contextWindow }),
    ...(model?.maxOutputTokens === undefined ? {} : { outputTokenLimit: model.maxOutputTokens }),
    supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
  };
}
