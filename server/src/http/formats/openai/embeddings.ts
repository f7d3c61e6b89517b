import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { z } from "zod";
import type { InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { type Fields, readChoice, readInteger, readObject, readOptional } from "../../requests/fields.ts";
import { DIMENSIONS_MAX, readTexts } from "../../requests/read-inference.ts";
import { readRoutingOptions } from "../../requests/read-routing-options.ts";
import { embeddingVectors } from "../../responses/answer.ts";
import { EMPTY_PARAMETERS, extensionFields, modelField, ROUTING_FIELDS, readModel } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { type FieldRules, partitionFields, readShortString } from "./fields.ts";

const RULES: FieldRules = {
  understood: new Set([...ROUTING_FIELDS, "model", "input", "dimensions", "encoding_format"]),
  extras: { user: readShortString },
  harmless: {},
};

const embeddingSchema = z.object({
  object: z.literal("embedding"),
  index: z.number(),
  embedding: z
    .union([z.array(z.number()), z.string()])
    .describe("A list of numbers; in base64, 32-bit floats with the lowest byte first."),
});

/** `POST /openai/v1/embeddings` */
export const embeddingsEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/embeddings",
  summary: "Make vectors of texts, in OpenAI's form",
  body: z.looseObject({
    model: modelField,
    input: z.union([z.string(), z.array(z.string()).min(1).max(2_048)]),
    dimensions: z.int().min(1).max(DIMENSIONS_MAX).nullish(),
    encoding_format: z.enum(["float", "base64"]).nullish(),
    user: z.string().nullish(),
    ...extensionFields,
  }),
  response: z.object({
    object: z.literal("list"),
    data: z.array(embeddingSchema),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.number(), total_tokens: z.number() }),
  }),
  read: readEmbeddings,
  whole({ parts, receipt, requestBody: asked }) {
    const inBase64 = readEncoding(readObject(asked, "")) === "base64";
    return {
      object: "list",
      data: embeddingVectors(parts).map((vector, index) => ({
        object: "embedding",
        index,
        embedding: inBase64 ? toBase64(vector) : vector,
      })),
      model: fullNameOf(receipt.model),
      usage: { prompt_tokens: receipt.inputTokens, total_tokens: receipt.inputTokens + receipt.outputTokens },
    };
  },
};

function readEmbeddings(body: unknown): Inference {
  const fields = readObject(body, "");
  const { model, strategy } = readModel(fields.model);
  const routingOptions = readRoutingOptions(fields, false);
  readEncoding(fields);
  const dimensions = readOptional(fields.dimensions, (value) => readInteger(value, "dimensions", 1, DIMENSIONS_MAX));
  return {
    task: normaliseTask("embedding"),
    conversation: conversationOfTexts(readTexts(fields.input, "input")),
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: { ...EMPTY_PARAMETERS, dimensions },
    streaming: false,
    ...partitionFields(fields, RULES),
  };
}

function readEncoding(fields: Fields): "float" | "base64" {
  return (
    readOptional(fields.encoding_format, (value) => readChoice(value, "encoding_format", ["float", "base64"])) ??
    "float"
  );
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
