import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { z } from "zod";
import type { InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { choiceField, Field, integerField } from "../../requests/field-table.ts";
import { invalidField, readInteger, readList, readObject } from "../../requests/fields.ts";
import { DIMENSIONS_MAX, TEXTS_MAX, textsField } from "../../requests/read-inference.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { embeddingVectors } from "../../responses/answer.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { openAiBody, openAiModelField, shortStringField } from "./fields.ts";

const TOKENS_MAX = 300_000;
const TOKEN_MAX = 10_000_000;

/** The inputs as texts, or as the tokens of a provider's own, which only that provider can read. */
interface EmbeddingsInput {
  readonly texts: readonly string[];
  readonly tokens: readonly (readonly number[])[] | undefined;
}

function readInput(value: unknown, param: string): EmbeddingsInput {
  const [first] = Array.isArray(value) ? value : [];
  if (typeof first !== "number" && !Array.isArray(first))
    return { texts: textsField.read(value, param), tokens: undefined };
  const readTokens = (list: unknown, at: string) => {
    const tokens = readList(list, at, TOKENS_MAX, (token, place) => readInteger(token, place, 0, TOKEN_MAX));
    if (tokens.length === 0) throw invalidField(at, `\`${at}\` must not be empty.`);
    return tokens;
  };
  const tokens = typeof first === "number" ? [readTokens(value, param)] : readList(value, param, TEXTS_MAX, readTokens);
  if (tokens.reduce((sum, { length }) => sum + length, 0) > TOKENS_MAX)
    throw invalidField(param, `\`${param}\` may hold at most ${TOKENS_MAX.toLocaleString("en")} tokens.`);
  // A word for each token, so that as many are counted.
  return { texts: tokens.map(({ length }) => "a ".repeat(length)), tokens };
}

const tokenSchema = z.int().min(0).max(TOKEN_MAX);
const inputField = new Field(
  readInput,
  z.union([textsField.schema, z.array(tokenSchema), z.array(z.array(tokenSchema)).max(TEXTS_MAX)]),
).describe("A text or tokens, or a list of either. Tokens are for models of OpenAI's format alone.");

const embeddingsBody = openAiBody({
  fields: {
    model: openAiModelField,
    input: inputField,
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
  const { texts, tokens } = read.input(fields);
  const conversation = conversationOfTexts(texts);
  const { extras, dropped } = embeddingsBody.partition(fields);
  return toInference({
    task: normaliseTask("embedding"),
    conversation,
    model,
    strategy,
    routingOptions,
    parameters: { ...EMPTY_PARAMETERS, dimensions, tokens },
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
