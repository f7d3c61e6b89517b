import { z } from "zod";
import { controlEndpoint, type Endpoint } from "../../endpoints/endpoint.ts";
import { type ChatModel, findChatModel, listChatModels } from "../chat-models.ts";
import { anthropicDialect } from "./dialect.ts";
import { anthropicListQuery, anthropicListSchema, toAnthropicList } from "./lists.ts";

const modelResponseSchema = z.object({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string().describe("When it was registered here; the epoch where that is not known."),
  max_input_tokens: z.number().nullable(),
  max_tokens: z.number().nullable(),
  lifecycle: z.literal("active"),
});

const listModels = controlEndpoint({
  method: "GET",
  path: "/anthropic/v1/models",
  dialect: anthropicDialect,
  permission: "inference.use",
  status: 200,
  tag: "Anthropic",
  summary: "List the models that can be talked to, in Anthropic's form",
  faults: [],
  query: anthropicListQuery(1_000),
  response: anthropicListSchema(modelResponseSchema),
  async handle({ services, caller, query }) {
    const { after_id: after, before_id: before } = query;
    const all = listChatModels(services, caller);
    const placeOf = (name: string) => all.findIndex((model) => model.name === name);
    const rest =
      before === undefined
        ? all.slice(after === undefined ? 0 : placeOf(after) + 1)
        : all.slice(0, Math.max(0, placeOf(before)));
    const { data, ...place } = toAnthropicList(rest, query, ({ name }) => name);
    return { data: data.map(toModelResponse), ...place };
  },
});

const getModel = controlEndpoint({
  method: "GET",
  // A wildcard, since a name can be `provider/name`.
  path: "/anthropic/v1/models/*",
  dialect: anthropicDialect,
  permission: "inference.use",
  status: 200,
  tag: "Anthropic",
  summary: "One model, in Anthropic's form",
  faults: ["model_not_found"],
  response: modelResponseSchema,
  handle: async ({ services, caller, params }) => toModelResponse(findChatModel(services, caller, params["*"] ?? "")),
});

function toModelResponse({ name, model, registeredAt }: ChatModel): z.infer<typeof modelResponseSchema> {
  return {
    type: "model",
    id: name,
    display_name: name,
    created_at: (registeredAt ?? new Date(0)).toISOString(),
    max_input_tokens: model?.contextWindow ?? null,
    max_tokens: model?.maxOutputTokens ?? null,
    lifecycle: "active",
  };
}

export const anthropicModelEndpoints: readonly Endpoint[] = [listModels, getModel];
