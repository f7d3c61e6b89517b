import { countInputTokens } from "@trunkline/core/quote.ts";
import { z } from "zod";
import { controlEndpoint, type Endpoint, INFERENCE_FAULTS, type InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { anthropicBatchEndpoints } from "./batches.ts";
import { anthropicDialect } from "./dialect.ts";
import { namesFiles, prepareMessages } from "./file-references.ts";
import { anthropicFileEndpoints } from "./files.ts";
import { anthropicModelEndpoints } from "./models.ts";
import {
  countTokensRequestSchema,
  messagesRequestSchema,
  readCountTokensRequest,
  readMessagesRequest,
} from "./request.ts";
import { messageEventSchema, messageResponseSchema, toMessageResponse } from "./response.ts";
import { streamMessage } from "./stream.ts";

const messagesEndpoint: InferenceEndpoint = {
  kind: "inference",
  method: "POST",
  path: "/anthropic/v1/messages",
  dialect: anthropicDialect,
  permission: "inference.use",
  tag: "Anthropic",
  summary: "Answer a message, in Anthropic's form",
  description:
    "Any model here may answer, whatever wire it speaks. Fields that nothing was made of are listed in the header `x-trunkline-dropped`. With `stream: true` the answer comes in Anthropic's events.",
  faults: INFERENCE_FAULTS,
  body: messagesRequestSchema,
  response: messageResponseSchema,
  event: messageEventSchema,
  allowsLargeBody: true,
  needsPreparation: namesFiles,
  prepare: prepareMessages,
  read: readMessagesRequest,
  whole: toMessageResponse,
  stream: (_request, requestTrace) => streamMessage(requestTrace),
};

const countTokensEndpoint = controlEndpoint({
  method: "POST",
  path: "/anthropic/v1/messages/count_tokens",
  dialect: anthropicDialect,
  permission: "inference.use",
  audit: null,
  status: 200,
  tag: "Anthropic",
  summary: "Estimate how many tokens a message has",
  description:
    "Our own count, the one that requests are quoted by: an estimate, within about a tenth of most tokenizers. Nobody is called and nothing is charged.",
  faults: [],
  body: countTokensRequestSchema,
  skipBodyValidation: true,
  allowsLargeBody: true,
  response: z.object({ input_tokens: z.number() }),
  async handle(operationContext) {
    const { body } = namesFiles(operationContext.body) ? await prepareMessages(operationContext) : operationContext;
    return { input_tokens: countInputTokens(readCountTokensRequest(body)) };
  },
});

export const anthropicEndpoints: readonly Endpoint[] = [
  messagesEndpoint,
  countTokensEndpoint,
  ...anthropicBatchEndpoints,
  ...anthropicFileEndpoints,
  ...anthropicModelEndpoints,
];
