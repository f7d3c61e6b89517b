import type { InferenceEndpoint } from "../endpoints/endpoint.ts";
import { inferenceEndpoints } from "../endpoints/inference/inference.ts";
import { anthropicEndpoints } from "../formats/anthropic/endpoints.ts";
import { ollamaEndpoints } from "../formats/ollama/endpoints.ts";
import { openAiCompletionEndpoints } from "../formats/openai/completions.ts";
import { openAiChatEndpoints, openAiOtherEndpoints } from "../formats/openai/endpoints.ts";

/** The operations whose plain requests are served directly, and which lines of batches may name. */
export const DIRECT_ENDPOINTS = [
  ...inferenceEndpoints,
  ...openAiChatEndpoints,
  ...openAiCompletionEndpoints,
  ...openAiOtherEndpoints,
  ...anthropicEndpoints,
  ...ollamaEndpoints,
].filter(
  (endpoint): endpoint is InferenceEndpoint =>
    endpoint.kind === "inference" && endpoint.method === "POST" && !/[:*]/.test(endpoint.path),
);
