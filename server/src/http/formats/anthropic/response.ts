import type { FinishPart, Part, ThinkingPart } from "@trunkline/core/answer.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { WholeAnswer } from "../../endpoints/endpoint.ts";

/** A block of an answer, as Anthropic's clients read it. */
export type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; caller: { type: "direct" } };

/** A whole answer in one message. */
export function showMessage({ parts, receipt, journal }: WholeAnswer) {
  const shown = parts.filter(isOfFirst);
  const finish = shown.find((part) => part.type === "finish");
  return {
    ...openedMessage(
      journal.original?.requestId ?? journal.requestId,
      fullNameOf(receipt.model),
      usageOf(receipt),
    ),
    content: blocksOf(shown),
    ...stopOf(
      finish,
      shown.some((part) => part.type === "tool-call"),
    ),
  };
}

/** A message in which nothing is said yet. */
export function openedMessage<Usage>(requestId: string, model: string, usage: Usage) {
  return {
    id: `msg_${requestId.replaceAll("-", "")}`,
    type: "message" as const,
    role: "assistant" as const,
    model,
    content: [] as Block[],
    stop_reason: null as StopReason | null,
    stop_sequence: null as string | null,
    stop_details: null,
    container: null,
    usage,
  };
}

function blocksOf(parts: readonly Part[]): Block[] {
  const blocks: Block[] = [];
  let last: Block | undefined;
  const add = (block: Block) => {
    blocks.push(block);
    last = block;
  };
  for (const part of parts) {
    switch (part.type) {
      case "text":
        if (last?.type === "text") last.text += part.text;
        else add(textBlock(part.text));
        break;
      case "thinking":
        if (continues(last, part)) {
          last.thinking += part.text;
          last.signature = part.signature ?? "";
        } else add(thinkingBlock(part));
        break;
      case "tool-call":
        add({ ...toolUseBlock(part), input: inputOf(part.arguments) });
        break;
      case "media":
        add(textBlock(part.url));
        break;
      default:
        break;
    }
  }
  return blocks;
}

/** Whether a thought goes on: one that is signed or sealed is over. */
export function continues(
  block: Block | undefined,
  part: ThinkingPart,
): block is Extract<Block, { type: "thinking" }> {
  return block?.type === "thinking" && block.signature === "" && part.sealed === undefined;
}

export function textBlock(text: string): Block {
  return { type: "text", text };
}

export function thinkingBlock({ text, signature, sealed }: ThinkingPart): Block {
  if (sealed !== undefined) return { type: "redacted_thinking", data: sealed };
  return { type: "thinking", thinking: text, signature: signature ?? "" };
}

export function toolUseBlock({ id, name }: { readonly id: string; readonly name: string }) {
  return { type: "tool_use" as const, id, name, input: {} as unknown, caller: { type: "direct" as const } };
}

/** Arguments that are no JSON are given as the text that they are: better seen than lost. */
function inputOf(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export type StopReason = "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal";

/** Why an answer ended. Whoever called a tool waits for its result, whatever word the provider has for that. */
export function stopOf(
  finish: FinishPart | undefined,
  calledTools: boolean,
): { stop_reason: StopReason; stop_sequence: string | null } {
  const stop_sequence = finish?.stopSequence ?? null;
  if (finish?.reason === "length") return { stop_reason: "max_tokens", stop_sequence: null };
  if (finish?.reason === "refused") return { stop_reason: "refusal", stop_sequence: null };
  if (calledTools || finish?.reason === "tool-calls") return { stop_reason: "tool_use", stop_sequence: null };
  return { stop_reason: stop_sequence === null ? "end_turn" : "stop_sequence", stop_sequence };
}

/** What was used. There, what came out of a cache or went into it is no part of the input. */
export function usageOf(receipt: Receipt) {
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

/** There is one answer to a message; whatever belongs to others has no place in it. */
export function isOfFirst(part: Part): boolean {
  return !("choice" in part) || (part.choice ?? 0) === 0;
}
