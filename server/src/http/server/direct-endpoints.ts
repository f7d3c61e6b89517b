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
].filter(({ kind, method, path }) => kind === "inference" && method === "POST" && !/[:*]/.test(path));
