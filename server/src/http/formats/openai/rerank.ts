import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import { type Inference, RERANK_TASK } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { z } from "zod";
import type { InferenceEndpoint, WholeAnswer } from "../../endpoints/endpoint.ts";
import { booleanField, Field, integerField, stringField } from "../../requests/field-table.ts";
import { invalidField, readList, readObject, readString } from "../../requests/fields.ts";
import { INPUT_MAX } from "../../requests/read-inference.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { embeddingVectors } from "../../responses/answer.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { openAiBody, openAiModelField } from "./fields.ts";

const DOCUMENTS_MAX = 1_000;

/** A document is a text, or an object with one. */
function readDocument(value: unknown, param: string): string {
  if (typeof value === "string") return readString(value, param, 1, INPUT_MAX);
  return readString(readObject(value, param).text, `${param}.text`, 1, INPUT_MAX);
}

function readDocuments(value: unknown, param: string): string[] {
  const documents = readList(value, param, DOCUMENTS_MAX, readDocument);
  if (documents.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
  return documents;
}

const rerankBody = openAiBody({
  fields: {
    model: openAiModelField,
    query: stringField(1, INPUT_MAX),
    documents: new Field(
      readDocuments,
      z.array(z.union([z.string(), z.looseObject({ text: z.string() })])).max(DOCUMENTS_MAX),
    ),
    top_n: integerField(1, DOCUMENTS_MAX).nullish().describe("How many results to return; left out: all."),
    top_k: integerField(1, DOCUMENTS_MAX).nullish().describe("The same under another name."),
    return_documents: booleanField().nullish(),
    ...routingFields,
  },
});

const { read } = rerankBody;

const rerankResponseSchema = z.object({
  id: z.string(),
  object: z.literal("list"),
  model: z.string().describe("`provider/name` of the model that answered."),
  results: z
    .array(
      z.object({
        index: z.number().describe("The document's place in the request."),
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    )
    .describe("The most relevant first."),
  usage: z.object({ prompt_tokens: z.number(), total_tokens: z.number() }),
  meta: z.object({ billed_units: z.object({ search_units: z.number() }) }),
});

/** `POST /openai/v1/rerank`, in the form that Cohere, Jina and others share. */
export const rerankEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/rerank",
  summary: "Rank documents by a question, in the form of Cohere and Jina",
  description:
    "Also at `/v1/rerank`, `/v2/rerank`, `/cohere/v1/rerank` and `/cohere/v2/rerank`. For models of type `embedding` with the capability `rerank`.",
  allowsLargeBody: true,
  body: rerankBody.schema.loose(),
  response: rerankResponseSchema,
  answerFields: ["top_n", "top_k", "return_documents", "documents"],
  read: readRerank,
  whole: toRerankResponse,
};

function readRerank(body: unknown): Inference {
  const fields = readObject(body, "");
  const { model, strategy } = read.model(fields);
  const query = read.query(fields);
  const documents = read.documents(fields);
  read.top_n(fields);
  read.top_k(fields);
  read.return_documents(fields);
  return toInference({
    task: RERANK_TASK,
    conversation: conversationOfTexts([query, ...documents]),
    model,
    strategy,
    routingOptions: readRoutingOptions(fields, false),
    parameters: EMPTY_PARAMETERS,
    streaming: false,
    ...rerankBody.partition(fields),
  });
}

function toRerankResponse(answer: WholeAnswer): z.infer<typeof rerankResponseSchema> {
  const { parts, receipt, trace, requestBody } = answer;
  const fields = readObject(requestBody, "");
  const texts = read.return_documents(fields) === true ? read.documents(fields) : undefined;
  const results = embeddingVectors(parts)
    .map(([relevance = 0], index) => ({ index, relevance_score: relevance }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, read.top_n(fields) ?? read.top_k(fields) ?? DOCUMENTS_MAX);
  return {
    id: trace.requestId,
    object: "list",
    model: fullNameOf(receipt.model),
    results: results.map((result) =>
      texts === undefined ? result : { ...result, document: { text: texts[result.index] ?? "" } },
    ),
    usage: { prompt_tokens: receipt.inputTokens, total_tokens: receipt.inputTokens },
    meta: { billed_units: { search_units: 1 } },
  };
}
