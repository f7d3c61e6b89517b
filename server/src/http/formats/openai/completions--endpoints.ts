import { z } from "zod";
import type { Endpoint, InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { extensionFields, modelField, samplingFields } from "../shared-body.ts";
import { openAiInferenceDefaults } from "./openai-inference.ts";
import { readCompletion } from "./read-completion.ts";
import { completionResponseSchema, toCompletionResponse } from "./show-completion.ts";
import { streamCompletion } from "./stream-completion.ts";

const completionsEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/completions",
  summary: "Complete a text, in OpenAI's old form",
  body: z.object({
    model: modelField,
    prompt: z.union([z.string(), z.array(z.string()).length(1)]),
    ...samplingFields,
    logprobs: z.int().min(0).max(5).nullish(),
    logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
    user: z.string().optional(),
    ...extensionFields,
  }),
  response: completionResponseSchema,
  event: completionResponseSchema,
  read: readCompletion,
  whole: toCompletionResponse,
  stream: streamCompletion,
};

export const openAiCompletionEndpoints: readonly Endpoint[] = [completionsEndpoint];
