import { z } from "zod";
import type { Endpoint, InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { modelField, ownFields, samplingFields } from "../shared-body.ts";
import { openAiInference } from "./openai-inference.ts";
import { readCompletion } from "./read-completion.ts";
import { showCompletion, textCompletionShown } from "./show-completion.ts";
import { streamCompletion } from "./stream-completion.ts";

const completions: InferenceEndpoint = {
  ...openAiInference,
  path: "/openai/v1/completions",
  summary: "Complete a text, in OpenAI's old form",
  body: z.object({
    model: modelField,
    prompt: z.union([z.string(), z.array(z.string()).length(1)]),
    ...samplingFields,
    logprobs: z.int().min(0).max(5).nullish(),
    logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
    user: z.string().optional(),
    ...ownFields,
  }),
  answer: textCompletionShown,
  event: textCompletionShown,
  read: readCompletion,
  whole: showCompletion,
  stream: streamCompletion,
};

export const openAiCompletionEndpoints: readonly Endpoint[] = [completions];
