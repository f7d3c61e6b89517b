import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import { z } from "zod";
import { toErrorResponse } from "../../formats/dialect.ts";
import {
  aiRequestBody,
  audioBody,
  embeddingsBody,
  generateBody,
  imageBody,
  type NativeBody,
  readInference,
  streamBody,
} from "../../requests/read-inference.ts";
import { answeringModels, embeddingVectors } from "../../responses/answer.ts";
import {
  controlEndpoint,
  type Endpoint,
  INFERENCE_FAULTS,
  type InferenceEndpoint,
  type StreamWriter,
} from "../endpoint.ts";
import type { HttpRequest } from "../http-request.ts";

const inferenceDefaults = {
  kind: "inference",
  method: "POST",
  permission: "inference.use",
  tag: "Inference",
  faults: INFERENCE_FAULTS,
} as const;

export const tokenUsageSchema = z.object({ input_tokens: z.number(), output_tokens: z.number() });

/** How an operation in our own format reads and documents its body. */
function nativeBody(form: NativeBody): Pick<InferenceEndpoint, "body" | "read"> {
  return { body: form.schema, read: (body) => readInference(body, form) };
}

const aiRequestEndpoint: InferenceEndpoint = {
  ...inferenceDefaults,
  path: "/v1/ai/request",
  summary: "Send a task and an input, get an output",
  ...nativeBody(aiRequestBody),
  response: z.object({ output: z.string(), model_used: z.string(), cost: z.number() }),
  whole: ({ text, media, receipt }) => ({
    output: media?.url ?? text,
    model_used: receipt.model.name,
    cost: toCredits(receipt.cost),
  }),
};

const generateEndpoint: InferenceEndpoint = {
  ...inferenceDefaults,
  path: "/v1/generate",
  summary: "Generate, in the client libraries' form",
  ...nativeBody(generateBody),
  response: z.object({
    output: z.union([z.string(), z.record(z.string(), z.unknown())]),
    model: z.string(),
    usage: tokenUsageSchema,
    latency_ms: z.number(),
  }),
  whole: ({ text, media, receipt }) => ({
    output: media?.source ?? text,
    model: fullNameOf(receipt.model),
    usage: { input_tokens: receipt.inputTokens, output_tokens: receipt.outputTokens },
    latency_ms: Math.round(receipt.latencyMs),
  }),
};

const streamEndpoint: InferenceEndpoint = {
  ...inferenceDefaults,
  path: "/v1/stream",
  summary: "Generate, and read the answer as it comes",
  description:
    'NDJSON, one object a line: `{"delta"}` …, last `{"done": true, "model", "usage", "cost"}`, with `models` where one model went on with what another had begun. With `Accept: text/event-stream` the same objects as SSE `data:` lines. An error after the first delta is the last line: `{"error", "done": true}`.',
  ...nativeBody(streamBody),
  response: z.union([
    z.object({ delta: z.string() }),
    z.object({
      done: z.literal(true),
      model: z.string().describe("provider/name of the model that finished the answer."),
      models: z
        .array(z.string())
        .optional()
        .describe("All models that spoke, in their order; left out where it was one."),
      usage: tokenUsageSchema,
      cost: z.number(),
    }),
  ]),
  stream: nativeStream,
};

const imageEndpoint: InferenceEndpoint = {
  ...inferenceDefaults,
  path: "/v1/image",
  summary: "Make an image",
  ...nativeBody(imageBody),
  response: z.object({ image_url: z.string(), model: z.string(), cost: z.number() }),
  whole: ({ text, media, receipt }) => ({
    image_url: media?.url ?? text,
    model: fullNameOf(receipt.model),
    cost: toCredits(receipt.cost),
  }),
};

const audioEndpoint: InferenceEndpoint = {
  ...inferenceDefaults,
  path: "/v1/audio",
  summary: "Speak a text",
  ...nativeBody(audioBody),
  response: z.object({ audio_url: z.string(), model: z.string(), cost: z.number() }),
  whole: ({ text, media, receipt }) => ({
    audio_url: media?.url ?? text,
    model: fullNameOf(receipt.model),
    cost: toCredits(receipt.cost),
  }),
};

const embeddingsEndpoint: InferenceEndpoint = {
  ...inferenceDefaults,
  path: "/v1/embeddings",
  summary: "Make vectors of texts",
  ...nativeBody(embeddingsBody),
  response: z.object({
    embeddings: z.array(z.array(z.number())).describe("In the order of the input."),
    model: z.string(),
    usage: tokenUsageSchema,
    cost: z.number(),
  }),
  whole: ({ parts, receipt }) => ({
    embeddings: embeddingVectors(parts),
    model: fullNameOf(receipt.model),
    usage: { input_tokens: receipt.inputTokens, output_tokens: receipt.outputTokens },
    cost: toCredits(receipt.cost),
  }),
};

export const inferenceEndpoints: readonly Endpoint[] = [
  aiRequestEndpoint,
  generateEndpoint,
  streamEndpoint,
  imageEndpoint,
  audioEndpoint,
  embeddingsEndpoint,
];

const clearCache = controlEndpoint({
  method: "DELETE",
  path: "/v1/cache",
  permission: "cache.change",
  audit: { action: "cache.drop", details: (_context, { dropped }) => ({ dropped }) },
  status: 200,
  tag: "Inference",
  summary: "Drop every answer that the account's response cache keeps",
  faults: [],
  response: z.object({ dropped: z.number().describe("How many answers there were.") }),
  handle: async ({ services, caller }) => ({ dropped: await services.cache.clear(caller.accountId) }),
});

export const cacheEndpoints: readonly Endpoint[] = [clearCache];

/** How the objects of a stream are separated. */
interface Framing {
  readonly contentType: string;
  frame(value: unknown): string;
}

const NDJSON: Framing = {
  contentType: "application/x-ndjson",
  frame: (value) => `${JSON.stringify(value)}\n`,
};
const SSE: Framing = {
  contentType: "text/event-stream",
  frame: (value) => `data: ${JSON.stringify(value)}\n\n`,
};

/** Trunkline's own stream: one JSON object per line, or server-sent events where the client accepts them. */
function nativeStream(request: HttpRequest): StreamWriter {
  const framing = /\btext\/event-stream\b/i.test(request.headers.accept ?? "") ? SSE : NDJSON;
  return {
    contentType: framing.contentType,
    write(part) {
      const object = toStreamObject(part);
      return object === undefined ? "" : framing.frame(object);
    },
    fail: (fault, requestId) => framing.frame({ ...toErrorResponse(fault, requestId), done: true }),
  };
}

function toStreamObject(part: Part | Receipt): unknown {
  switch (part.type) {
    case "text":
      return { delta: part.text };
    case "media":
      return { delta: part.url };
    case "receipt":
      return {
        done: true,
        model: fullNameOf(part.model),
        models: answeringModels(part),
        usage: { input_tokens: part.inputTokens, output_tokens: part.outputTokens },
        cost: toCredits(part.cost),
      };
    default:
      return undefined;
  }
}
