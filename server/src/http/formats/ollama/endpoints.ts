import { type Endpoint, INFERENCE_FAULTS, type InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { ollamaDialect } from "./dialect.ts";
import { ollamaModelEndpoints } from "./models.ts";
import {
  chatRequestSchema,
  embedRequestSchema,
  generateRequestSchema,
  readChatRequest,
  readEmbedRequest,
  readGenerateRequest,
} from "./request.ts";
import {
  chatResponseSchema,
  embedResponseSchema,
  generateResponseSchema,
  NDJSON_TYPE,
  streamChat,
  streamGenerate,
  toChatResponse,
  toEmbedResponse,
  toGenerateResponse,
} from "./response.ts";

const common = {
  kind: "inference",
  method: "POST",
  permission: "inference.use",
  tag: "Ollama",
  faults: INFERENCE_FAULTS,
  dialect: ollamaDialect,
  allowsLargeBody: true,
} as const;

const chat: InferenceEndpoint = {
  ...common,
  path: "/ollama/api/chat",
  summary: "Chat, in Ollama's form",
  description:
    "For Ollama's own libraries: set their host to the service, and the key as a header. The answer comes as NDJSON, one object a line, unless `stream` is false.",
  body: chatRequestSchema,
  response: chatResponseSchema,
  event: chatResponseSchema,
  eventType: NDJSON_TYPE,
  answerFields: ["think"],
  read: readChatRequest,
  whole: toChatResponse,
  stream: (_request, requestTrace, requestBody) => streamChat(requestTrace, requestBody),
};

const generate: InferenceEndpoint = {
  ...common,
  path: "/ollama/api/generate",
  summary: "Answer a prompt, in Ollama's form",
  body: generateRequestSchema,
  response: generateResponseSchema,
  event: generateResponseSchema,
  eventType: NDJSON_TYPE,
  answerFields: ["think"],
  read: readGenerateRequest,
  whole: toGenerateResponse,
  stream: (_request, requestTrace, requestBody) => streamGenerate(requestTrace, requestBody),
};

const embed: InferenceEndpoint = {
  ...common,
  path: "/ollama/api/embed",
  summary: "Make vectors of texts, in Ollama's form",
  body: embedRequestSchema,
  response: embedResponseSchema,
  read: readEmbedRequest,
  whole: toEmbedResponse,
};

export const ollamaEndpoints: readonly Endpoint[] = [chat, generate, embed, ...ollamaModelEndpoints];
