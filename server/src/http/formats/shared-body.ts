import { z } from "zod";
import {
  answerCheckSchema,
  continueSchema,
  fallbacksSchema,
  hedgeSchema,
  preferencesSchema,
  routeSchema,
  sessionSchema,
} from "../requests/inference-schema.ts";

/** What the bodies of several operations have in common, for the OpenAPI document. The reading is hand-written. */
export const modelField = z
  .string()
  .describe(
    "A name from GET /openai/v1/models, the short name of a model, or `auto`, `auto:cost`, `auto:speed`, `auto:quality`.",
  );

export const samplingFields = {
  max_tokens: z.int().min(1).max(1_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(8).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: z.int().nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
};

/** Ours, and of no other service. */
export const extensionFields = {
  route: routeSchema,
  check: answerCheckSchema,
  preferences: preferencesSchema,
  fallbacks: fallbacksSchema,
  session: sessionSchema,
  continue: continueSchema,
  hedge: hedgeSchema,
};
