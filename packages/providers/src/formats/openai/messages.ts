import { createHash } from "node:crypto";
import type {
  Attachment,
  CacheBreakpoint,
  Content,
  Message,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import { readDataUrl } from "@trunkline/core/data-url.ts";
import type { JsonText } from "@trunkline/core/json-text.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Quirks } from "./compatible-providers.ts";

/**
 * The messages of a conversation. Tool results become separate messages right after the calls that they answer. Their
 * attachments follow in a user message, since results can only be text here.
 */
export function toMessages(messages: readonly Message[], conversionContext: ConversionContext): object[] {
  const sent: object[] = [];
  let attached: Attachment[] = [];
  const sendAttached = () => {
    if (attached.length > 0) sent.push(toUserMessage(attached, conversionContext));
    attached = [];
  };
  for (const message of messages) {
    const { role, content } = message;
    if (isPlain(message)) {
      sendAttached();
      sent.push(toPlainMessage(message));
      continue;
    }
    const results = content.filter(isToolResult);
    for (const result of results) {
      sent.push(toToolMessage(result, conversionContext));
      attached.push(...(result.attachments ?? []));
    }
    const rest = content.filter((piece) => !isToolResult(piece));
    if (results.length > 0 && rest.length === 0) continue;
    sendAttached();
    if (role === "assistant") sent.push(toAssistantMessage(rest, conversionContext));
    else if (role === "system" || role === "developer") sent.push(toSystemMessage(role, rest, conversionContext));
    else sent.push(toUserMessage(rest, conversionContext));
  }
  sendAttached();
  return sent;
}

/** A message that is one text, under a role that providers have, too. */
interface PlainMessage extends Message {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly [TextContent];
}

function isPlain({ role, content }: Message): boolean {
  const [only] = content;
  const hasOwnRole = role === "user" || role === "assistant" || role === "system";
  return hasOwnRole && content.length === 1 && only?.type === "text" && only.cache === undefined;
}

/** Whether a conversation has no other messages, as nearly all. */
export function arePlain(messages: readonly Message[]): boolean {
  return messages.every(isPlain);
}

const START_OF_MESSAGE: Readonly<Record<PlainMessage["role"], string>> = {
  user: '{"role":"user","content":"',
  assistant: '{"role":"assistant","content":"',
  system: '{"role":"system","content":"',
};

/** The same after another message, with the end of that one. */
const START_OF_NEXT: typeof START_OF_MESSAGE = {
  user: `"},${START_OF_MESSAGE.user}`,
  assistant: `"},${START_OF_MESSAGE.assistant}`,
  system: `"},${START_OF_MESSAGE.system}`,
};

/** Writes such messages one after the other, as those that `toMessages` gives. */
export function addPlainMessages(json: JsonText, messages: readonly Message[]): void {
  const last = messages.length - 1;
  for (let at = 0; at <= last; at++) {
    const { role, content } = messages[at] as PlainMessage;
    json.addString((at === 0 ? START_OF_MESSAGE : START_OF_NEXT)[role], content[0].text, at === last ? '"}' : "");
  }
}

function toPlainMessage(message: Message): object {
  const { role, content } = message as PlainMessage;
  return { role, content: content[0].text };
}

function toSystemMessage(
  role: "system" | "developer",
  content: readonly Content[],
  conversionContext: ConversionContext,
): object {
  const known = conversionContext.quirks.developerRole === true ? role : "system";
  return { role: known, content: toContent(content, conversionContext) };
}

function toUserMessage(content: readonly Content[], conversionContext: ConversionContext): object {
  return { role: "user", content: toContent(content, conversionContext) };
}

function toToolMessage(result: ToolResultContent, conversionContext: ConversionContext): object {
  if (result.isError === true) conversionContext.onUnsupported("is_error");
  const id = toCallId(result.id, conversionContext);
  const text: TextContent = { type: "text", text: result.text, cache: result.cache };
  return { role: "tool", tool_call_id: id, content: toContent([text], conversionContext) };
}

function toAssistantMessage(content: readonly Content[], conversionContext: ConversionContext): object {
  const calls = content.filter((piece) => piece.type === "tool-call");
  const said = content.filter((piece) => piece.type === "text");
  if (content.some(({ type }) => type === "attachment")) conversionContext.onUnsupported("attachments");
  const isSilent = said.length === 0 && calls.length > 0;
  return {
    role: "assistant",
    content: isSilent ? null : toContent(said, conversionContext),
    ...toReasoningContent(
      content.filter((piece) => piece.type === "thinking"),
      conversionContext,
    ),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => toToolCall(call, conversionContext)) }),
  };
}

/** Reasoning is returned to providers that expect it; encrypted reasoning has no place in this format. */
function toReasoningContent(
  thoughts: readonly ThinkingContent[],
  { quirks, onUnsupported }: ConversionContext,
): object {
  const readable = quirks.reasoningContent === true ? thoughts.filter(({ text }) => text !== "") : [];
  if (readable.length < thoughts.length) onUnsupported("thinking");
  if (readable.length === 0) return {};
  return { reasoning_content: readable.map(({ text }) => text).join("\n") };
}

function toToolCall(call: ToolCallContent, conversionContext: ConversionContext): object {
  if (call.signature !== undefined) conversionContext.onUnsupported("signature");
  if (call.cache !== undefined) conversionContext.onUnsupported("cache_control");
  return {
    id: toCallId(call.id, conversionContext),
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}

/** Pure text is sent as a string, which every provider accepts; only a cache breakpoint keeps its parts separate. */
function toContent(content: readonly Content[], conversionContext: ConversionContext): string | object[] {
  const pieces = content.filter((piece) => piece.type === "text" || piece.type === "attachment");
  const texts = pieces.filter((piece) => piece.type === "text");
  const isMarked = conversionContext.quirks.cacheControl === true && texts.some(({ cache }) => cache !== undefined);
  if (texts.length < pieces.length || isMarked)
    return pieces.map((piece) =>
      piece.type === "text" ? toTextPart(piece, conversionContext) : toAttachmentPart(piece, conversionContext),
    );
  if (texts.some(({ cache }) => cache !== undefined)) conversionContext.onUnsupported("cache_control");
  return texts.map(({ text }) => text).join("\n");
}

/** The same id always becomes the same short one, so that a result still belongs to its call. */
function toCallId(id: string, { quirks }: ConversionContext): string {
  if (quirks.shortCallIds !== true || /^[A-Za-z0-9]{9}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function isToolResult(piece: Content): piece is ToolResultContent {
  return piece.type === "tool-result";
}

/** What the conversion needs to know about the provider, and where it reports unsupported fields. */
export interface ConversionContext {
  readonly quirks: Quirks;
  readonly onUnsupported: (field: string) => void;
}

/** An attachment as a part of a message. */
function toAttachmentPart(attachment: Attachment, conversionContext: ConversionContext): object {
  const cache = toCacheControl(attachment.cache, conversionContext);
  switch (attachment.kind) {
    case "image":
      return {
        type: "image_url",
        image_url: { url: attachment.url, detail: attachment.detail },
        ...cache,
      };
    case "audio":
      return { type: "input_audio", input_audio: toAudio(attachment), ...cache };
    case "file":
      return { type: "file", file: toFile(attachment, conversionContext), ...cache };
  }
}

function toTextPart({ text, cache }: TextContent, conversionContext: ConversionContext): object {
  return { type: "text", text, ...toCacheControl(cache, conversionContext) };
}

/** A client's cache breakpoint, for providers that support them. */
function toCacheControl(cache: CacheBreakpoint | undefined, { quirks, onUnsupported }: ConversionContext): object {
  if (cache === undefined) return {};
  if (quirks.cacheControl === true) return { cache_control: { type: "ephemeral", ttl: cache.ttl } };
  onUnsupported("cache_control");
  return {};
}

function toAudio({ url }: Attachment): object {
  const data = readDataUrl(url);
  if (data === undefined) throw onlyDataUrlsSupported("audio");
  return { data: data.base64, format: fileExtensionOf(data.mediaType) };
}

function toFile({ url, name }: Attachment, { quirks }: ConversionContext): object {
  const data = readDataUrl(url);
  if (data === undefined && quirks.fileUrls !== true) throw onlyDataUrlsSupported("files");
  const filename = name ?? (data === undefined ? undefined : `file.${fileExtensionOf(data.mediaType)}`);
  return { filename, file_data: url };
}

/** The request is left to another model that supports the attachment, since without it it would be another request. */
export function onlyDataUrlsSupported(what: string): ProviderFailure {
  return new ProviderFailure("rejected", `takes ${what} only as data URLs`, { blamesEndpoint: false });
}

/** The file extension for a media type, such as `mp3`. */
export function fileExtensionOf(mediaType: string): string {
  const subtype = (mediaType.split("/")[1] ?? "").replace(/^x-/, "");
  return FILE_EXTENSIONS[subtype] ?? (subtype === "" ? "bin" : subtype);
}

const FILE_EXTENSIONS: Readonly<Record<string, string>> = {
  mpeg: "mp3",
  mpga: "mp3",
  wave: "wav",
  "vnd.wave": "wav",
  plain: "txt",
  "octet-stream": "bin",
};
