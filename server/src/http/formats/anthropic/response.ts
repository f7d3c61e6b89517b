import { fullNameOf } from "@trunkline/core/model.ts";
import type { FinishPart, Part, Receipt, ThinkingPart } from "@trunkline/core/parts.ts";
import { z } from "zod";
import type { WholeAnswer } from "../../endpoints/endpoint.ts";
import { callSignatureBlock } from "./call-signature.ts";
import { redactedBlockSchema, thinkingBlockSchema, toolUseFields } from "./content.ts";

/** The answers of Anthropic's operations, for the OpenAPI document. */
const usageSchema = z.object({
  input_tokens: z.number().describe("Without what came out of a provider's cache or went into it."),
  cache_creation_input_tokens: z.number(),
  cache_read_input_tokens: z.number(),
  cache_creation: z.null(),
  output_tokens: z.number(),
  output_tokens_details: z.object({ thinking_tokens: z.number() }),
  server_tool_use: z.null(),
  service_tier: z.literal("standard"),
});

const responseBlock = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  thinkingBlockSchema,
  redactedBlockSchema,
  z.object(toolUseFields),
]);

export const messageResponseSchema = z.object({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(responseBlock),
  stop_reason: z.enum(["end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal"]).nullable(),
  stop_sequence: z.string().nullable(),
  stop_details: z.null(),
  container: z.null(),
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
    delta: z.object({
      stop_reason: z.string(),
      stop_sequence: z.string().nullable(),
      stop_details: z.null(),
      container: z.null(),
    }),
    usage: usageSchema,
  }),
  z.object({ type: z.literal("message_stop") }),
]);

/** A block of an answer, as Anthropic's clients read it. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; caller: { type: "direct" } };

/** A whole answer in one message. */
export function toMessageResponse({ parts, receipt, trace }: WholeAnswer) {
  const requestId = trace.replayOf?.requestId ?? trace.requestId;
  const message = emptyMessage(requestId, fullNameOf(receipt.model), toUsage(receipt));
  let finish: FinishPart | undefined;
  let calledTools = false;
  for (const part of parts) {
    if (!isFirstChoice(part)) continue;
    addToBlocks(message.content, part);
    if (part.type === "finish") finish ??= part;
    else if (part.type === "tool-call") calledTools = true;
  }
  if (message.content.length > 1 && isEmptyThought(message.content.at(-1))) message.content.pop();
  const { stop_reason, stop_sequence } = toStopFields(finish, calledTools);
  message.stop_reason = stop_reason;
  message.stop_sequence = stop_sequence;
  return message;
}

/** A message without content yet. */
export function emptyMessage<Usage>(requestId: string, model: string, usage: Usage) {
  return {
    id: `msg_${requestId.replaceAll("-", "")}`,
    type: "message" as const,
    role: "assistant" as const,
    model,
    content: [] as ContentBlock[],
    stop_reason: null as StopReason | null,
    stop_sequence: null as string | null,
    stop_details: null,
    container: null,
    usage,
  };
}

function addToBlocks(contentBlocks: ContentBlock[], part: Part): void {
  const last = contentBlocks.at(-1);
  switch (part.type) {
    case "text":
      if (last?.type === "text") last.text += part.text;
      else contentBlocks.push(textBlock(part.text));
      break;
    case "thinking":
      if (continuesThinking(last, part)) {
        last.thinking += part.text;
        last.signature = part.signature ?? "";
      } else contentBlocks.push(thinkingBlock(part));
      break;
    case "tool-call": {
      const signature = callSignatureBlock(part);
      if (signature !== undefined) contentBlocks.push(signature);
      contentBlocks.push({ ...toolUseBlock(part), input: parseToolInput(part.arguments) });
      break;
    }
    case "media":
      contentBlocks.push(textBlock(part.url));
      break;
    default:
      break;
  }
}

/**
 * A signature without a thought. Gemini ends its texts with one, which it needs at calls alone; clients of this format take
 * the last block for the answer.
 */
function isEmptyThought(contentBlock: ContentBlock | undefined): boolean {
  return contentBlock?.type === "thinking" && contentBlock.thinking === "";
}

/** Whether a thought continues. A signed or sealed thought is complete. */
export function continuesThinking(
  block: ContentBlock | undefined,
  part: ThinkingPart,
): block is Extract<ContentBlock, { type: "thinking" }> {
  return block?.type === "thinking" && block.signature === "" && part.sealed === undefined;
}

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

export function thinkingBlock({ text, signature, sealed }: ThinkingPart): ContentBlock {
  if (sealed !== undefined) return { type: "redacted_thinking", data: sealed };
  return { type: "thinking", thinking: text, signature: signature ?? "" };
}

export function toolUseBlock({ id, name }: { readonly id: string; readonly name: string }) {
  return { type: "tool_use" as const, id, name, input: {} as unknown, caller: { type: "direct" as const } };
}

/** Arguments that are not JSON are passed on as text, so that the client sees them. */
function parseToolInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal";

/** Why an answer ended. A model that called a tool waits for the result, whatever reason the provider gives. */
export function toStopFields(
  finish: FinishPart | undefined,
  calledTools: boolean,
): { stop_reason: StopReason; stop_sequence: string | null } {
  const stop_sequence = finish?.stopSequence ?? null;
  if (finish?.reason === "length") return { stop_reason: "max_tokens", stop_sequence: null };
  if (finish?.reason === "refused") return { stop_reason: "refusal", stop_sequence: null };
  if (calledTools || finish?.reason === "tool-calls") return { stop_reason: "tool_use", stop_sequence: null };
  return { stop_reason: stop_sequence === null ? "end_turn" : "stop_sequence", stop_sequence };
}

/** Usage in Anthropic's format, where tokens read from a cache or written to it do not count as input. */
export function toUsage(receipt: Receipt) {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = receipt;
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation: null,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    service_tier: "standard" as const,
  };
}

/** A message has one answer, so parts of further choices are left out. */
export function isFirstChoice(part: Part): boolean {
  return !("choice" in part) || (part.choice ?? 0) === 0;
}
