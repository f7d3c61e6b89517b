import { createHash } from "node:crypto";
import { z } from "zod";
import { controlEndpoint, type Endpoint } from "../../endpoints/endpoint.ts";
import { type ChatModel, findChatModel, listChatModels } from "../chat-models.ts";
import { ollamaDialect } from "./dialect.ts";

/** The version of Ollama's API that is served. Some clients ask for a lowest one. */
const API_VERSION = "0.13.0";

const common = { dialect: ollamaDialect, permission: "inference.use", status: 200, tag: "Ollama" } as const;

const detailsSchema = z.object({
  parent_model: z.string(),
  format: z.string(),
  family: z.string().describe("The provider's name."),
  families: z.array(z.string()),
  parameter_size: z.string(),
  quantization_level: z.string(),
});

const listModels = controlEndpoint({
  ...common,
  method: "GET",
  path: "/ollama/api/tags",
  summary: "List the models that can be talked to, in Ollama's form",
  faults: [],
  response: z.object({
    models: z.array(
      z.object({
        name: z.string(),
        model: z.string(),
        modified_at: z.string(),
        size: z.literal(0).describe("Models are elsewhere, so that their size is not known."),
        digest: z.string().describe("Of the name."),
        details: detailsSchema,
      }),
    ),
  }),
  handle: async ({ services, caller }) => ({
    models: listChatModels(services, caller).map((model) => ({
      name: model.name,
      model: model.name,
      modified_at: (model.registeredAt ?? new Date(0)).toISOString(),
      size: 0 as const,
      digest: createHash("sha256").update(model.name).digest("hex"),
      details: toDetails(model),
    })),
  }),
});

const showModel = controlEndpoint({
  ...common,
  method: "POST",
  path: "/ollama/api/show",
  audit: null,
  summary: "One model, in Ollama's form",
  faults: ["model_not_found"],
  body: z.object({ model: z.string().optional(), name: z.string().optional().describe("The old name of `model`.") }),
  response: z.object({
    modelfile: z.string(),
    parameters: z.string(),
    template: z.string(),
    details: detailsSchema,
    model_info: z.record(z.string(), z.union([z.string(), z.number()])),
    capabilities: z.array(z.string()),
  }),
  async handle({ services, caller, body }) {
    const found = findChatModel(services, caller, body.model ?? body.name ?? "");
    const { model } = found;
    const window = model?.contextWindow;
    const sees = model === undefined || model.type === "multimodal";
    return {
      modelfile: "",
      parameters: "",
      template: "",
      details: toDetails(found),
      model_info: {
        "general.architecture": "trunkline",
        ...(window === undefined ? {} : { "trunkline.context_length": window }),
      },
      capabilities: ["completion", "tools", ...(sees ? ["vision"] : [])],
    };
  },
});

const version = controlEndpoint({
  ...common,
  method: "GET",
  path: "/ollama/api/version",
  summary: "The version of Ollama's API",
  faults: [],
  response: z.object({ version: z.string() }),
  handle: async () => ({ version: API_VERSION }),
});

function toDetails({ model }: ChatModel): z.infer<typeof detailsSchema> {
  const family = model?.provider ?? "trunkline";
  return { parent_model: "", format: "", family, families: [family], parameter_size: "", quantization_level: "" };
}

export const ollamaModelEndpoints: readonly Endpoint[] = [listModels, showModel, version];
