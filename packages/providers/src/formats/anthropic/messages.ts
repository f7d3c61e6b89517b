import { createHash } from "node:crypto";
import type {
  Attachment,
  CacheBreakpoint,
  Content,
  Message,
  TextContent,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import { dataUrlText, isTextType, readDataUrl } from "@trunkline/core/data-url.ts";
import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";

/** A turn of a conversation in which user and assistant alternate. */
interface Turn {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly Content[];
}

interface Turns {
  /** Instructions before the conversation. */
  readonly instructions: readonly TextContent[];
  readonly turns: readonly Turn[];
}

/** Inserted where a conversation does not begin with the user, since these formats require it. */
const OPENING_TURN: Turn = {
  role: "user",
  content: [{ type: "text", text: "(The conversation starts here.)" }],
};

/**
 * A conversation as turns that begin with the user and alternate. Instructions in the middle keep their position: as a
 * turn of their own where the model supports that, otherwise in the user's turn, labelled as instructions.
 */
export function toTurns(messages: readonly Message[], takesSystemTurns: boolean): Turns {
  const instructions: TextContent[] = [];
  const raw: Turn[] = [];
  for (const { role, content } of messages) {
    const said = content.filter((piece) => piece.type !== "text" || piece.text !== "");
    if (role === "system" || role === "developer") {
      const texts = said.filter((piece) => piece.type === "text");
      const rest = said.filter((piece) => piece.type !== "text");
      if (raw.length === 0) instructions.push(...texts);
      else appendTurn(raw, { role: "system", content: texts });
      // Instructions can only be text: their attachments go into the user's turn.
      appendTurn(raw, { role: "user", content: rest });
    } else {
      appendTurn(raw, { role: role === "assistant" ? "assistant" : "user", content: said });
    }
  }
  const turns: Turn[] = [];
  for (const [at, turn] of raw.entries()) {
    const fits = turns.at(-1)?.role === "user" && raw[at + 1]?.role !== "user";
    if (turn.role !== "system" || (takesSystemTurns && fits)) appendTurn(turns, turn);
    else appendTurn(turns, { role: "user", content: turn.content.map(markAsSystem) });
  }
  if (turns[0]?.role !== "user") turns.unshift(OPENING_TURN);
  return { instructions, turns: turns.map(toolResultsFirst) };
}

/** Merges consecutive turns of one role. */
function appendTurn(turns: Turn[], turn: Turn): void {
  if (turn.content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === turn.role) turns[turns.length - 1] = { ...last, content: [...last.content, ...turn.content] };
  else turns.push(turn);
}

function markAsSystem(content: Content): Content {
  return content.type === "text" ? { ...content, text: `<system>\n${content.text}\n</system>` } : content;
}

/** Tool results have to come before anything else in a turn. */
function toolResultsFirst(turn: Turn): Turn {
  const isResult = ({ type }: Content) => type === "tool-result";
  if (turn.role !== "user" || !turn.content.some(isResult)) return turn;
  const others = turn.content.filter((content) => !isResult(content));
  return { ...turn, content: [...turn.content.filter(isResult), ...others] };
}

type ReportUnsupported = (field: string) => void;

/** Content as blocks of the Messages API. */
export function toBlocks(content: readonly Content[], reportUnsupported: ReportUnsupported): JsonObject[] {
  return content.map((piece) => toBlock(piece, reportUnsupported)).filter((block) => block !== undefined);
}

function toBlock(piece: Content, reportUnsupported: ReportUnsupported): JsonObject | undefined {
  switch (piece.type) {
    case "text":
      return { type: "text", text: piece.text, ...toCacheControl(piece.cache) };
    case "attachment":
      return toAttachmentBlock(piece, reportUnsupported);
    case "thinking":
      if (piece.sealed !== undefined) return { type: "redacted_thinking", data: piece.sealed };
      if (piece.signature !== undefined) return { type: "thinking", thinking: piece.text, signature: piece.signature };
      // Thinking without a signature comes from another model, and would be refused.
      reportUnsupported("thinking");
      return undefined;
    case "tool-call":
      return {
        type: "tool_use",
        id: toToolCallId(piece.id),
        name: piece.name,
        input: parseArguments(piece.arguments),
        ...toCacheControl(piece.cache),
      };
    case "tool-result":
      return toResultBlock(piece, reportUnsupported);
  }
}

/** A cache breakpoint in this format. */
export function toCacheControl(mark: CacheBreakpoint | undefined): JsonObject {
  if (mark === undefined) return {};
  return {
    cache_control: { type: "ephemeral", ...(mark.ttl === undefined ? {} : { ttl: mark.ttl }) },
  };
}

function toResultBlock(result: ToolResultContent, reportUnsupported: ReportUnsupported): JsonObject {
  const shown = (result.attachments ?? []).map((attachment) => toAttachmentBlock(attachment, reportUnsupported));
  const said = result.text === "" ? [] : [{ type: "text", text: result.text }];
  return {
    type: "tool_result",
    tool_use_id: toToolCallId(result.id),
    content: shown.length === 0 ? result.text : [...said, ...shown],
    ...(result.isError === true ? { is_error: true } : {}),
    ...toCacheControl(result.cache),
  };
}

function toAttachmentBlock(attachment: Attachment, reportUnsupported: ReportUnsupported): JsonObject {
  const { kind, url, detail } = attachment;
  if (kind === "audio") throw unsupportedInput("audio");
  const cache = toCacheControl(attachment.cache);
  const data = readDataUrl(url);
  if (kind === "image" || data?.mediaType.startsWith("image/")) {
    if (detail === "low" || detail === "high") reportUnsupported("image_detail");
    const source =
      data === undefined ? { type: "url", url } : { type: "base64", media_type: data.mediaType, data: data.base64 };
    return { type: "image", source, ...cache };
  }
  const title = attachment.name === undefined ? {} : { title: attachment.name };
  if (data === undefined) return { type: "document", source: { type: "url", url }, ...title, ...cache };
  if (data.mediaType === "application/pdf") {
    const source = { type: "base64", media_type: "application/pdf", data: data.base64 };
    return { type: "document", source, ...title, ...cache };
  }
  if (!isTextType(data.mediaType)) throw unsupportedInput(`files of the type ${data.mediaType}`);
  const source = { type: "text", media_type: "text/plain", data: dataUrlText(data) };
  return { type: "document", source, ...title, ...cache };
}

/** Another model may support it: an answer that ignores an attachment would answer another question. */
function unsupportedInput(what: string): ProviderFailure {
  return new ProviderFailure("rejected", `takes no ${what}`, { blamesEndpoint: false });
}

/** An id that these providers accept: one from another provider may contain other characters. */
export function toToolCallId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

/** The arguments of a call as an object; anything else is kept as text. */
export function parseArguments(json: string): JsonObject {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {
    // A truncated call, in the history of another provider.
  }
  return { arguments: json };
}
