import { REASONING_EFFORTS } from "@trunkline/core/inference.ts";
import { z } from "zod";
import { extensionFields, modelField } from "../../shared-body.ts";

/** The body of `responses`, for the OpenAPI document. The reading is hand-written. */
const inputText = z.object({ type: z.literal("input_text"), text: z.string() });

const inputPart = z.union([
  inputText,
  z.object({
    type: z.literal("input_image"),
    image_url: z.string().describe("https: or data: URL"),
    detail: z.enum(["auto", "low", "high"]).nullish(),
  }),
  z.object({
    type: z.literal("input_file"),
    file_data: z.string().optional().describe("A data: URL, or base64."),
    file_url: z.string().optional(),
    filename: z.string().optional(),
  }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string().describe("Base64."), format: z.enum(["wav", "mp3"]) }),
  }),
]);

const outputPart = z.union([
  z.object({ type: z.literal("output_text"), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
]);

const item = z.union([
  z.object({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user"]),
    content: z.union([z.string(), z.array(inputPart)]),
  }),
  z.object({
    type: z.literal("message").optional(),
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(outputPart)]),
  }),
  z.object({
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string().describe("JSON."),
  }),
  z.object({
    type: z.literal("function_call_output"),
    call_id: z.string(),
    output: z.union([z.string(), z.array(inputPart)]),
  }),
  z.object({
    type: z.literal("reasoning"),
    summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().nullish(),
  }),
]);

const textFormat = z.union([
  z.object({ type: z.enum(["text", "json_object"]) }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string(),
    schema: z.looseObject({}),
    description: z.string().optional(),
    strict: z.boolean().nullish(),
  }),
]);

const tool = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
});

export const responsesRequestSchema = z.looseObject({
  model: modelField,
  input: z.union([z.string(), z.array(item)]),
  instructions: z.string().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.union([z.enum(["none", "auto", "required"]), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .object({ format: textFormat.optional(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
    .nullish(),
  reasoning: z.looseObject({ effort: z.enum(REASONING_EFFORTS).nullish() }).nullish(),
  max_output_tokens: z.int().min(1).max(1_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  include: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().nullish(),
  stream: z.boolean().nullish(),
  ...extensionFields,
});
