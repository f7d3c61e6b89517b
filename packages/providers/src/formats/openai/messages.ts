import { createHash } from "node:crypto";
import type {
  Attachment,
  Content,
  Message,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import { type Telling, toAttachedPart, toTextPart } from "./content.ts";

/**
 * The messages of a conversation. Results of tools become messages of their own, straight after the calls that they
 * answer; what was attached to them follows in a message of the user's, as results are nothing but text here.
 */
export function toMessages(messages: readonly Message[], telling: Telling): object[] {
  const sent: object[] = [];
  let attached: Attachment[] = [];
  const sendAttached = () => {
    if (attached.length > 0) sent.push(toUserMessage(attached, telling));
    attached = [];
  };
  for (const { role, content } of messages) {
    const results = content.filter(isResult);
    for (const result of results) {
      sent.push(toResultMessage(result, telling));
      attached.push(...(result.attachments ?? []));
    }
    const rest = content.filter((piece) => !isResult(piece));
    if (results.length > 0 && rest.length === 0) continue;
    sendAttached();
    if (role === "assistant") sent.push(toAssistantMessage(rest, telling));
    else if (role === "system" || role === "developer") sent.push(toSystemMessage(role, rest, telling));
    else sent.push(toUserMessage(rest, telling));
  }
  sendAttached();
  return sent;
}

function toSystemMessage(
  role: "system" | "developer",
  content: readonly Content[],
  telling: Telling,
): object {
  const known = telling.quirks.developerRole === true ? role : "system";
  return { role: known, content: toContent(content, telling) };
}

function toUserMessage(content: readonly Content[], telling: Telling): object {
  return { role: "user", content: toContent(content, telling) };
}

function toResultMessage(result: ToolResultContent, telling: Telling): object {
  if (result.isError === true) telling.onDropped("is_error");
  const id = toCallId(result.id, telling);
  const text: TextContent = { type: "text", text: result.text, cache: result.cache };
  return { role: "tool", tool_call_id: id, content: toContent([text], telling) };
}

function toAssistantMessage(content: readonly Content[], telling: Telling): object {
  const calls = content.filter((piece) => piece.type === "tool-call");
  const said = content.filter((piece) => piece.type === "text");
  if (content.some(({ type }) => type === "attachment")) telling.onDropped("attachments");
  const isSilent = said.length === 0 && calls.length > 0;
  return {
    role: "assistant",
    content: isSilent ? null : toContent(said, telling),
    ...toThoughts(
      content.filter((piece) => piece.type === "thinking"),
      telling,
    ),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => toCall(call, telling)) }),
  };
}

/** Thoughts go back to those who ask for them; a sealed one is of no use to anybody on this wire. */
function toThoughts(thoughts: readonly ThinkingContent[], { quirks, onDropped }: Telling): object {
  const readable = quirks.reasoningContent === true ? thoughts.filter(({ text }) => text !== "") : [];
  if (readable.length < thoughts.length) onDropped("thinking");
  if (readable.length === 0) return {};
  return { reasoning_content: readable.map(({ text }) => text).join("\n") };
}

function toCall(call: ToolCallContent, telling: Telling): object {
  if (call.signature !== undefined) telling.onDropped("signature");
  if (call.cache !== undefined) telling.onDropped("cache_control");
  return {
    id: toCallId(call.id, telling),
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}

/** Text alone goes out as a string, which everybody takes; only a mark for the cache keeps its parts apart. */
function toContent(content: readonly Content[], telling: Telling): string | object[] {
  const pieces = content.filter((piece) => piece.type === "text" || piece.type === "attachment");
  const texts = pieces.filter((piece) => piece.type === "text");
  const isMarked = telling.quirks.cacheControl === true && texts.some(({ cache }) => cache !== undefined);
  if (texts.length < pieces.length || isMarked)
    return pieces.map((piece) =>
      piece.type === "text" ? toTextPart(piece, telling) : toAttachedPart(piece, telling),
    );
  if (texts.some(({ cache }) => cache !== undefined)) telling.onDropped("cache_control");
  return texts.map(({ text }) => text).join("\n");
}

/** The same id always becomes the same short one, so that a result still belongs to its call. */
function toCallId(id: string, { quirks }: Telling): string {
  if (quirks.shortCallIds !== true || /^[A-Za-z0-9]{9}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function isResult(piece: Content): piece is ToolResultContent {
  return piece.type === "tool-result";
}
