import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import { z } from "zod";
import type { WholeAnswer } from "../../endpoints/endpoint.ts";
import { Field, fieldTable, integerField, stringField } from "../../requests/field-table.ts";
import { type Fields, invalidField, readList, readObject, readString } from "../../requests/fields.ts";
import { DIMENSIONS_MAX, INPUT_MAX, TEXTS_MAX } from "../../requests/read-inference.ts";
import { readRoutingOptions } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { embeddingVectors } from "../../responses/answer.ts";
import { EMPTY_PARAMETERS, readModel } from "../shared-fields.ts";
import { toCamelCase } from "./json-conventions.ts";

const PARTS_MAX = 256;

/** The text of a content, which may be in several parts. */
function readContent(value: unknown, param: string): string {
  const { parts } = readObject(value, param);
  const texts = readList(parts, `${param}.parts`, PARTS_MAX, (item, at) => {
    const { text, ...others } = readObject(item, at);
    if (text === undefined && Object.keys(others).length > 0)
      throw invalidField(at, `\`${at}\` must be text: nothing else is embedded here.`);
    return readString(text, `${at}.text`, 0, INPUT_MAX);
  });
  return readString(texts.join(""), param, 1, INPUT_MAX);
}

const contentSchema = z.object({ parts: z.array(z.object({ text: z.string() })).max(PARTS_MAX) });

const embedFields = {
  content: new Field(readContent, contentSchema),
  taskType: stringField(1, 64).optional().describe("For Gemini's own models, such as RETRIEVAL_QUERY."),
  title: stringField(0, 1_024).optional().describe("For Gemini's own models."),
  outputDimensionality: integerField(1, DIMENSIONS_MAX).optional(),
};
const embed = fieldTable(embedFields);

/** The body of `embedContent`. */
export const embedContentRequestSchema = embed.schema;

const embeddingSchema = z.object({ values: z.array(z.number()) });
const usageMetadataSchema = z.object({ promptTokenCount: z.number(), totalTokenCount: z.number() });
export const embedContentResponseSchema = z.object({ embedding: embeddingSchema, usageMetadata: usageMetadataSchema });

/** What one request says besides its text. */
type EmbedOptions = Readonly<Record<"taskType" | "title" | "outputDimensionality", unknown>>;

interface EmbedRequest {
  readonly text: string;
  readonly options: EmbedOptions;
  readonly dimensions: number | undefined;
  readonly unknown: readonly string[];
}

function readEmbed(value: unknown, param: string): EmbedRequest {
  const fields = toCamelCase(readObject(value, param));
  const at = <Value>(name: keyof typeof embedFields, field: Field<Value>) =>
    field.read(fields[name], param === "" ? name : `${param}.${name}`);
  const text = at("content", embedFields.content);
  const taskType = at("taskType", embedFields.taskType);
  const title = at("title", embedFields.title);
  const dimensions = at("outputDimensionality", embedFields.outputDimensionality);
  return {
    text,
    options: { taskType, title, outputDimensionality: dimensions },
    dimensions,
    unknown: Object.keys(fields).filter((name) => name !== "model" && !embed.names.has(name) && fields[name] != null),
  };
}

/** Reads a body of `embedContent`. The model is named by the address. */
export function readEmbedContentRequest(body: unknown, modelName: string): Inference {
  return toEmbedding([readEmbed(body, "")], modelName);
}

const batchRequestSchema = z.array(embed.schema.extend({ model: z.string().optional() })).max(TEXTS_MAX);

function readBatch(value: unknown, param: string): readonly EmbedRequest[] {
  const requests = readList(value, param, TEXTS_MAX, readEmbed);
  const [first] = requests;
  if (first === undefined) throw invalidField(param, `\`${param}\` must not be empty.`);
  const wanted = JSON.stringify(first.options);
  const other = requests.findIndex(({ options }) => JSON.stringify(options) !== wanted);
  if (other !== -1) {
    const message =
      "All requests must have the same `taskType`, `title` and `outputDimensionality`: they are sent together.";
    throw invalidField(`${param}[${other}]`, message);
  }
  return requests;
}

const batch = fieldTable({ requests: new Field(readBatch, batchRequestSchema) });

/** The body of `batchEmbedContents`. */
export const batchEmbedContentsRequestSchema = batch.schema;
export const batchEmbedContentsResponseSchema = z.object({
  embeddings: z.array(embeddingSchema),
  usageMetadata: usageMetadataSchema,
});

/** Reads a body of `batchEmbedContents`. */
export function readBatchEmbedContentsRequest(body: unknown, modelName: string): Inference {
  return toEmbedding(batch.read.requests(readObject(body, "")), modelName);
}

const EMBEDDING = normaliseTask("embedding");
const NO_ROUTING: Fields = {};

function toEmbedding(requests: readonly EmbedRequest[], modelName: string): Inference {
  const { model, strategy } = readModel(modelName);
  const { taskType, title } = requests[0]?.options ?? {};
  const own = { ...(taskType === undefined ? {} : { taskType }), ...(title === undefined ? {} : { title }) };
  return toInference({
    task: EMBEDDING,
    conversation: conversationOfTexts(requests.map(({ text }) => text)),
    model,
    strategy,
    routingOptions: readRoutingOptions(NO_ROUTING),
    parameters: { ...EMPTY_PARAMETERS, dimensions: requests[0]?.dimensions },
    streaming: false,
    extras: Object.keys(own).length === 0 ? undefined : { wire: "gemini", fields: own },
    dropped: [...new Set(requests.flatMap(({ unknown }) => unknown))],
  });
}

export function toEmbedContentResponse(answer: WholeAnswer): z.infer<typeof embedContentResponseSchema> {
  const { embeddings, usageMetadata } = toBatchEmbedContentsResponse(answer);
  return { embedding: embeddings[0] ?? { values: [] }, usageMetadata };
}

export function toBatchEmbedContentsResponse({
  parts,
  receipt,
}: WholeAnswer): z.infer<typeof batchEmbedContentsResponseSchema> {
  const { inputTokens } = receipt;
  return {
    embeddings: embeddingVectors(parts).map((vector) => ({ values: [...vector] })),
    usageMetadata: { promptTokenCount: inputTokens, totalTokenCount: inputTokens },
  };
}
