import type {
  Attachment,
  Content,
  Conversation,
  Message,
  ToolCallContent,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import { mimeTypeOfPath, readDataUrl } from "@trunkline/core/data-url.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import { isGeneratedToolCallId } from "../../http/wire-format.ts";

export type GeminiPart = Readonly<Record<string, unknown>>;

export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
}

/** The signature for a call that another model made: newer models refuse a call without one. */
const PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator";

/** The conversation so far. System and developer messages are left out, unless there are no others. */
export function toContents(conversation: Conversation, needsSignatures: boolean): GeminiContent[] {
  const turns = conversation.messages.filter(({ role }) => !isInstruction(role));
  const messages = turns.length === 0 ? conversation.messages : turns;
  const names = toolNamesByCallId(conversation);
  const contents: GeminiContent[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = message.content.flatMap((content) => toGeminiParts(content, names));
    const last = contents.at(-1);
    // The API requires alternating roles, and results of parallel calls in one turn.
    if (last?.role === role) contents[contents.length - 1] = { role, parts: [...last.parts, ...parts] };
    else if (parts.length > 0) contents.push({ role, parts });
  }
  return needsSignatures ? contents.map(withPlaceholderSignature) : contents;
}

/** All text of system and developer messages. */
export function toSystemInstruction(
  { messages }: Conversation,
  more: readonly string[],
): { readonly parts: readonly GeminiPart[] } | undefined {
  const isAlone = messages.every(({ role }) => isInstruction(role));
  const texts = messages
    .filter(({ role }) => isInstruction(role) && !isAlone)
    .flatMap(({ content }) => content.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])));
  const parts = [...texts, ...more].filter((text) => text !== "").map((text) => ({ text }));
  return parts.length === 0 ? undefined : { parts };
}

function isInstruction(role: Message["role"]): boolean {
  return role === "system" || role === "developer";
}

function toGeminiParts(content: Content, names: ReadonlyMap<string, string>): GeminiPart[] {
  switch (content.type) {
    case "text":
      return [{ text: content.text }];
    case "attachment":
      return [toMedia(content)];
    case "thinking":
      return toThought(content);
    case "tool-call":
      return [toFunctionCall(content)];
    case "tool-result":
      return [
        toFunctionResponse(content, content.name ?? names.get(content.id) ?? content.id),
        ...(content.attachments ?? []).map(toMedia),
      ];
  }
}

/** Thinking that consists only of a signature was returned with an empty text, and is sent back in the same way. */
function toThought({
  text,
  signature,
}: {
  readonly text: string;
  readonly signature?: string | undefined;
}): GeminiPart[] {
  // Clients of other formats may hand back an empty one.
  const thoughtSignature = !signature ? {} : { thoughtSignature: signature };
  if (text !== "") return [{ text, thought: true, ...thoughtSignature }];
  return !signature ? [] : [{ text, ...thoughtSignature }];
}

function toMedia({ kind, url }: Attachment): GeminiPart {
  const inline = readDataUrl(url);
  if (inline !== undefined) return { inlineData: { mimeType: inline.mediaType, data: inline.base64 } };
  const mimeType = mimeTypeOfPath(url) ?? (kind === "image" ? "image/jpeg" : undefined);
  return { fileData: { fileUri: url, ...(mimeType === undefined ? {} : { mimeType }) } };
}

function toFunctionCall({ id, name, arguments: input, signature }: ToolCallContent): GeminiPart {
  const args = tryParseObject(input) ?? {};
  return {
    functionCall: { ...(isGeneratedToolCallId(id) ? {} : { id }), name, args },
    ...(!signature ? {} : { thoughtSignature: signature }),
  };
}

function toFunctionResponse({ id, text, isError }: ToolResultContent, name: string): GeminiPart {
  const response = isError === true ? { error: text } : (tryParseObject(text) ?? { output: text });
  return { functionResponse: { ...(isGeneratedToolCallId(id) ? {} : { id }), name, response } };
}

function toolNamesByCallId({ messages }: Conversation): ReadonlyMap<string, string> {
  const calls = messages
    .flatMap(({ content }) => content)
    .filter((content): content is ToolCallContent => content.type === "tool-call");
  return new Map(calls.map(({ id, name }) => [id, name]));
}

/** The first call of a turn needs a signature, if only a placeholder. */
function withPlaceholderSignature(content: GeminiContent): GeminiContent {
  const first = content.parts.findIndex((part) => "functionCall" in part);
  const call = content.parts[first];
  if (call === undefined || call.thoughtSignature !== undefined) return content;
  return {
    ...content,
    parts: content.parts.with(first, { ...call, thoughtSignature: PLACEHOLDER_SIGNATURE }),
  };
}

function tryParseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
