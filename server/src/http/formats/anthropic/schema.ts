import { z } from "zod";
import { AUTO_MODEL_NAMES, extensionFields } from "../shared-fields.ts";

/** The forms of Anthropic's operations, for the OpenAPI document. What is read of a body is decided in `read-messages.ts`. */
const cacheControl = z
  .object({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
  .nullable()
  .optional()
  .describe("A mark up to which a provider may keep the request in its cache. Passed on as it is.");

const textBlock = z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheControl });

const source = z.union([
  z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.object({ type: z.literal("url"), url: z.string().describe("https: URL") }),
]);

const imageBlock = z.object({ type: z.literal("image"), source, cache_control: cacheControl });

const documentBlock = z.object({
  type: z.literal("document"),
  source: z.union([
    source,
    z.object({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
    z.object({
      type: z.literal("content"),
      content: z.union([z.string(), z.array(z.union([textBlock, imageBlock]))]),
    }),
  ]),
  title: z.string().nullable().optional(),
  context: z.string().nullable().optional(),
  cache_control: cacheControl,
});

const searchResultBlock = z.object({
  type: z.literal("search_result"),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock),
  cache_control: cacheControl,
});

const thinkingBlock = z.object({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string(),
});
const redactedBlock = z.object({ type: z.literal("redacted_thinking"), data: z.string() });
const toolUse = {
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
};

const content = z.union([
  z.string(),
  z.array(
    z.union([
      textBlock,
      imageBlock,
      documentBlock,
      searchResultBlock,
      thinkingBlock,
      redactedBlock,
      z.object({ ...toolUse, cache_control: cacheControl }),
      z.object({
        type: z.literal("tool_result"),
        tool_use_id: z.string(),
        content: z
          .union([z.string(), z.array(z.union([textBlock, imageBlock, documentBlock, searchResultBlock]))])
          .optional(),
        is_error: z.boolean().optional(),
        cache_control: cacheControl,
      }),
    ]),
  ),
]);

const conversationFields = {
  model: z.string().describe(`A name from the list of models, provider/name, or ${AUTO_MODEL_NAMES.join(", ")}.`),
  messages: z.array(z.object({ role: z.enum(["user", "assistant", "system"]), content })).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z
    .array(
      z.object({
        type: z.literal("custom").nullable().optional(),
        name: z.string(),
        description: z.string().optional(),
        input_schema: z.record(z.string(), z.unknown()),
        strict: z.boolean().optional(),
        cache_control: cacheControl,
      }),
    )
    .optional(),
  tool_choice: z
    .object({
      type: z.enum(["auto", "any", "tool", "none"]),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  thinking: z
    .object({
      type: z.enum(["enabled", "disabled", "adaptive", "between_tools"]),
      budget_tokens: z.int().optional(),
      display: z.enum(["summarized", "omitted"]).nullable().optional(),
    })
    .optional(),
  output_config: z
    .object({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullable().optional(),
      format: z
        .object({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) })
        .nullable()
        .optional(),
    })
    .optional(),
  cache_control: cacheControl,
};

export const messagesRequestSchema = z.object({
  ...conversationFields,
  max_tokens: z.int().min(1).max(1_000_000),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  metadata: z.object({ user_id: z.string().nullable().optional() }).optional(),
  ...extensionFields,
});

export const countTokensRequestSchema = z.object(conversationFields);

const usageSchema = z.object({
  input_tokens: z.number().describe("Without what came out of a provider's cache or went into it."),
  cache_creation_input_tokens: z.number(),
  cache_read_input_tokens: z.number(),
  output_tokens: z.number(),
});

const responseBlock = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  thinkingBlock,
  redactedBlock,
  z.object(toolUse),
]);

export const messageResponseSchema = z.object({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(responseBlock),
  stop_reason: z.enum(["end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal"]).nullable(),
  stop_sequence: z.string().nullable(),
  usage: usageSchema,
});

const index = z.number();

export const messageEventSchema = z.union([
  z.object({ type: z.literal("message_start"), message: messageResponseSchema }),
  z.object({ type: z.literal("ping") }),
  z.object({ type: z.literal("content_block_start"), index, content_block: responseBlock }),
  z.object({
    type: z.literal("content_block_delta"),
    index,
    delta: z.union([
      z.object({ type: z.literal("text_delta"), text: z.string() }),
      z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
      z.object({ type: z.literal("signature_delta"), signature: z.string() }),
      z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
    ]),
  }),
  z.object({ type: z.literal("content_block_stop"), index }),
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({ stop_reason: z.string(), stop_sequence: z.string().nullable() }),
    usage: usageSchema,
  }),
  z.object({ type: z.literal("message_stop") }),
]);
