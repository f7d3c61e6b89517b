import { z } from "zod";
import { usageSchema } from "../show-usage.ts";

/** How answers of `chat/completions` look, for the OpenAPI document. */
export const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter", "function_call"] as const;

const call = z.object({ name: z.string(), arguments: z.string().describe("JSON.") });

const toolCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: call,
  extra_content: z
    .object({ google: z.object({ thought_signature: z.string() }) })
    .optional()
    .describe("Send it back with the call: Gemini knows its own calls again by it."),
});

const logprobs = z
  .object({ content: z.array(z.unknown()), refusal: z.null() })
  .nullable()
  .describe("In OpenAI's form, where `logprobs` was true and the provider tells them.");

const identity = {
  id: z.string(),
  created: z.number().describe("In seconds since 1970."),
  model: z.string().describe("`provider/name` of the model that answered."),
  system_fingerprint: z.null(),
};

export const chatResponseSchema = z.object({
  ...identity,
  object: z.literal("chat.completion"),
  choices: z.array(
    z.object({
      index: z.number(),
      message: z.object({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        refusal: z.null(),
        reasoning_content: z
          .string()
          .optional()
          .describe("What the model thought, where its provider tells."),
        tool_calls: z.array(toolCall).optional(),
        function_call: call.optional(),
      }),
      logprobs,
      finish_reason: z.enum(FINISH_REASONS),
    }),
  ),
  usage: usageSchema,
});

export const chatChunkSchema = z.object({
  ...identity,
  object: z.literal("chat.completion.chunk"),
  choices: z.array(
    z.object({
      index: z.number(),
      delta: z.object({
        role: z.literal("assistant").optional(),
        content: z.string().optional(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(toolCall.extend({ index: z.number() })).optional(),
        function_call: call.optional(),
      }),
      logprobs,
      finish_reason: z.enum(FINISH_REASONS).nullable(),
    }),
  ),
  usage: usageSchema.nullable().optional(),
});
