import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { z } from "zod";
import type { InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { choiceField, integerField } from "../../requests/field-table.ts";
import { readObject } from "../../requests/fields.ts";
import { DIMENSIONS_MAX, textsField } from "../../requests/read-inference.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { embeddingVectors } from "../../responses/answer.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { openAiBody, openAiModelField, shortStringField } from "./fields.ts";

const embeddingsBody = openAiBody({
  fields: {
    model: openAiModelField,
    input: textsField,
    dimensions: integerField(1, DIMENSIONS_MAX).nullish(),
    encoding_format: choiceField(["float", "base64"]).nullish(),
    ...routingFields,
  },
  forwarded: { user: shortStringField.nullish() },
});

const { read } = embeddingsBody;

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
  allowsLargeBody: true,
  summary: "Make vectors of texts, in OpenAI's form",
  body: embeddingsBody.schema.loose(),
  response: z.object({
    object: z.literal("list"),
    data: z.array(embeddingSchema),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.number(), total_tokens: z.number() }),
  }),
  answerFields: ["encoding_format"],
  read: readEmbeddings,
  whole({ parts, receipt, requestBody }) {
    const inBase64 = read.encoding_format(readObject(requestBody, "")) === "base64";
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
  const { model, strategy } = read.model(fields);
  const routingOptions = readRoutingOptions(fields, false);
  read.encoding_format(fields);
  const dimensions = read.dimensions(fields);
  const conversation = conversationOfTexts(read.input(fields));
  const { extras, dropped } = embeddingsBody.partition(fields);
  return toInference({
    task: normaliseTask("embedding"),
    conversation,
    model,
    strategy,
    routingOptions,
    parameters: { ...EMPTY_PARAMETERS, dimensions },
    streaming: false,
    extras,
    dropped,
  });
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}
