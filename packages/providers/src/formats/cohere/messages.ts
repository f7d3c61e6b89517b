import type { Attachment, Content, Message, ToolCallContent } from "@trunkline/core/conversation.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A message in Cohere's format. Each tool result is a separate message. */
export function toMessages({ role, content }: Message): Fields[] {
  const results = content.flatMap((piece) => (piece.type === "tool-result" ? [piece] : []));
  const rest = content.filter(({ type }) => type !== "tool-result");
  const messages: Fields[] = results.map(({ id, text, isError, attachments = [] }) => {
    for (const attachment of attachments) refuseUnsupportedAttachment(attachment, true);
    return {
      role: "tool",
      tool_call_id: id,
      content: isError === true ? JSON.stringify({ error: text }) : text,
    };
  });
  if (rest.length === 0) return messages;
  if (role === "assistant") return [...messages, toAssistant(rest)];
  const wireRole = role === "system" || role === "developer" ? "system" : "user";
  return [...messages, { role: wireRole, content: toBlocks(rest) }];
}

function toAssistant(content: readonly Content[]): Fields {
  const calls = content.filter((piece): piece is ToolCallContent => piece.type === "tool-call");
  if (calls.length === 0) return { role: "assistant", content: toBlocks(content) };
  // Thinking before tool calls is their plan.
  const plan = content.flatMap((piece) => (piece.type === "thinking" ? [piece.text] : [])).join("");
  const words = content.filter(({ type }) => type === "text");
  return {
    role: "assistant",
    tool_calls: calls.map(({ id, name, arguments: input }) => ({
      id,
      type: "function",
      function: { name, arguments: input },
    })),
    ...(plan === "" ? {} : { tool_plan: plan }),
    ...(words.length === 0 ? {} : { content: toBlocks(words) }),
  };
}

/** A single text is sent as a string, anything more as a list of blocks. */
function toBlocks(content: readonly Content[]): string | Fields[] {
  const [only] = content;
  if (content.length === 1 && only?.type === "text") return only.text;
  return content.flatMap((piece): Fields[] => {
    if (piece.type === "text") return [{ type: "text", text: piece.text }];
    if (piece.type === "attachment") return [toImage(piece)];
    return piece.type === "thinking" && piece.text !== "" ? [{ type: "thinking", thinking: piece.text }] : [];
  });
}

function toImage(attachment: Attachment): Fields {
  refuseUnsupportedAttachment(attachment, false);
  const { url, detail } = attachment;
  return { type: "image_url", image_url: { url, ...(detail === undefined ? {} : { detail }) } };
}

/** An attachment that can't be sent is left to another model. */
function refuseUnsupportedAttachment({ kind }: Attachment, isOfTool: boolean): void {
  if (kind === "image" && !isOfTool) return;
  const words = isOfTool ? "attachments in results of tools" : `attachments of the kind ${kind}`;
  throw new ProviderFailure("rejected", `can't be sent ${words}`, { blamesEndpoint: false });
}
