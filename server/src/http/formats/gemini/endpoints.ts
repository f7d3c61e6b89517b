import { countInputTokens } from "@trunkline/core/quote.ts";
import { z } from "zod";
import { controlEndpoint, type Endpoint, INFERENCE_FAULTS, type InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { geminiDialect } from "./dialect.ts";
import {
  batchEmbedContentsRequestSchema,
  batchEmbedContentsResponseSchema,
  embedContentRequestSchema,
  embedContentResponseSchema,
  readBatchEmbedContentsRequest,
  readEmbedContentRequest,
  toBatchEmbedContentsResponse,
  toEmbedContentResponse,
} from "./embeddings.ts";
import { geminiModelEndpoints } from "./models.ts";
import {
  countTokensRequestSchema,
  generateContentRequestSchema,
  readCountTokensRequest,
  readGenerateContentRequest,
} from "./request.ts";
import { generateContentResponseSchema, toGenerateContentResponse } from "./response.ts";
import { streamGenerateContent } from "./stream.ts";

/** The same operations under each version of the API that Google's clients name. */
const endpointsOfVersion = (version: "v1beta" | "v1"): Endpoint[] => {
  const common = {
    dialect: geminiDialect,
    permission: "inference.use",
    tag: "Gemini",
    allowsLargeBody: true,
  } as const;
  const generating = {
    ...common,
    kind: "inference",
    method: "POST",
    faults: INFERENCE_FAULTS,
    body: generateContentRequestSchema,
    response: generateContentResponseSchema,
  } as const;

  const generate: InferenceEndpoint = {
    ...generating,
    path: `/gemini/${version}/models/*:generateContent`,
    summary: "Generate content, in Google's form",
    description:
      "Any model here may answer, whatever wire it speaks. Fields that nothing was made of are listed in the header `x-trunkline-dropped`.",
    read: (body, { params }) => readGenerateContentRequest(body, modelNameIn(params), false),
    whole: toGenerateContentResponse,
  };

  const stream: InferenceEndpoint = {
    ...generating,
    path: `/gemini/${version}/models/*:streamGenerateContent`,
    summary: "Generate content, and read it as it comes, in Google's form",
    description: "With `?alt=sse` as server-sent events, otherwise as one JSON list.",
    query: z.object({ alt: z.enum(["sse", "json"]).optional() }),
    read: (body, { params }) => readGenerateContentRequest(body, modelNameIn(params), true),
    stream: ({ query }, requestTrace) => streamGenerateContent(requestTrace, wantsEvents(query)),
  };

  const embedding = { ...common, kind: "inference", method: "POST", faults: INFERENCE_FAULTS } as const;
  const embed: InferenceEndpoint = {
    ...embedding,
    path: `/gemini/${version}/models/*:embedContent`,
    summary: "Make a vector of a text, in Google's form",
    body: embedContentRequestSchema,
    response: embedContentResponseSchema,
    read: (body, { params }) => readEmbedContentRequest(body, modelNameIn(params)),
    whole: toEmbedContentResponse,
  };
  const embedBatch: InferenceEndpoint = {
    ...embedding,
    path: `/gemini/${version}/models/*:batchEmbedContents`,
    summary: "Make vectors of texts, in Google's form",
    body: batchEmbedContentsRequestSchema,
    response: batchEmbedContentsResponseSchema,
    read: (body, { params }) => readBatchEmbedContentsRequest(body, modelNameIn(params)),
    whole: toBatchEmbedContentsResponse,
  };

  const count = controlEndpoint({
    ...common,
    method: "POST",
    path: `/gemini/${version}/models/*:countTokens`,
    audit: null,
    status: 200,
    summary: "Estimate how many tokens contents have",
    description:
      "Our own count, the one that requests are quoted by: an estimate, within about a tenth of most tokenizers. Nobody is called and nothing is charged.",
    faults: [],
    body: countTokensRequestSchema,
    skipBodyValidation: true,
    response: z.object({ totalTokens: z.number() }),
    handle: async ({ body }) => ({ totalTokens: countInputTokens(readCountTokensRequest(body)) }),
  });

  return [generate, stream, embed, embedBatch, count, ...geminiModelEndpoints(version)];
};

/** The text before the last colon: a model's name may hold slashes and colons. */
function modelNameIn(params: Readonly<Record<string, string>>): string {
  const named = params["*"] ?? "";
  return named.slice(0, named.lastIndexOf(":"));
}

function wantsEvents(query: unknown): boolean {
  return typeof query === "object" && query !== null && "alt" in query && query.alt === "sse";
}

export const geminiEndpoints: readonly Endpoint[] = [...endpointsOfVersion("v1beta"), ...endpointsOfVersion("v1")];
