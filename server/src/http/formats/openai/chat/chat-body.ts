import { REASONING_EFFORTS } from "@trunkline/core/inference.ts";
import { z } from "zod";
import { extensionFields, modelField, samplingFields } from "../../shared-body.ts";

/** The body of `chat/completions`, for the OpenAPI document. */
const text = z.object({ type: z.literal("text"), text: z.string() });
const textContent = z.union([z.string(), z.array(text)]);

const userPart = z.union([
  text,
  z.object({
    type: z.literal("image_url"),
    image_url: z.object({
      url: z.string().describe("https: or data: URL"),
      detail: z.enum(["auto", "low", "high"]).optional(),
    }),
  }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string().describe("Base64."), format: z.enum(["wav", "mp3"]) }),
  }),
  z.object({
    type: z.literal("file"),
    file: z.object({
      file_data: z.string().describe("A data: URL, or base64."),
      filename: z.string().optional(),
    }),
  }),
]);

const assistantPart = z.union([text, z.object({ type: z.literal("refusal"), refusal: z.string() })]);
const functionCall = z.object({ name: z.string(), arguments: z.string().describe("JSON.") });

const message = z.union([
  z.object({ role: z.enum(["system", "developer"]), content: textContent }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(userPart)]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(assistantPart)]).nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish().describe("What the model thought, as it was given out."),
    tool_calls: z
      .array(z.object({ id: z.string(), type: z.literal("function"), function: functionCall }))
      .optional(),
    function_call: functionCall.nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: textContent }),
  z.object({ role: z.literal("function"), name: z.string(), content: textContent }),
]);

const functionDefinition = z.object({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional().describe("A JSON schema."),
  strict: z.boolean().nullish(),
});
const namedFunction = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });

export const chatRequestSchema = z.object({
  model: modelField,
  messages: z.array(message).min(1).max(2_048),
  ...samplingFields,
  max_completion_tokens: z.int().min(1).max(1_000_000).nullish().describe("Counts before `max_tokens`."),
  tools: z
    .array(z.object({ type: z.literal("function"), function: functionDefinition }))
    .max(128)
    .optional(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      namedFunction,
      z.object({
        type: z.literal("allowed_tools"),
        allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: z.array(namedFunction) }),
      }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  functions: z.array(functionDefinition).max(128).optional().describe("The old form of `tools`."),
  function_call: z.union([z.enum(["none", "auto"]), z.object({ name: z.string() })]).optional(),
  response_format: z
    .union([
      z.object({ type: z.enum(["text", "json_object"]) }),
      z.object({
        type: z.literal("json_schema"),
        json_schema: z.object({
          name: z.string(),
          description: z.string().optional(),
          schema: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    ])
    .optional(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  reasoning_effort: z.enum([...REASONING_EFFORTS, "max"]).nullish(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  user: z.string().optional(),
  metadata: z.record(z.string(), z.string()).nullish(),
  store: z.boolean().nullish(),
  prompt_cache_key: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  ...extensionFields,
});
