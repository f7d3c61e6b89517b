import type { Attachment, CacheBreakpoint, Content, TextContent } from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";

const TEXT_LENGTH_MAX = 4_000_000;
const BLOCKS_MAX = 100_000;
const DATA_LENGTH_MAX = 20 * 1024 * 1024;

/** What is noted down while a request is read: what nothing was made of, and which call has which tool's name. */
export interface ReadingState {
  readonly dropped: Set<string>;
  readonly toolNames: Map<string, string>;
}

/** What only Anthropic's own servers make and read: nothing can be made of it anywhere else. */
const SERVER_BLOCKS = new Set([
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "mcp_tool_use",
  "mcp_tool_result",
  "container_upload",
]);

/** Content that is either a plain text or a list of blocks. */
export function readContent(value: unknown, param: string, readingState: ReadingState): Content[] {
  if (typeof value === "string") return toTextContent(value, param, {});
  return readList(value, param, BLOCKS_MAX, (item, path) => readBlock(item, path, readingState)).flat();
}

/** Text alone, as of the system: a plain text or a list of text blocks. */
export function readTextBlocks(value: unknown, param: string): TextContent[] {
  if (typeof value === "string") return toTextContent(value, param, {});
  return readList(value, param, BLOCKS_MAX, (item, path) => {
    const block = readObject(item, path);
    readChoice(block.type, `${path}.type`, ["text"]);
    return toTextContent(block.text, `${path}.text`, readCacheControl(block, path));
  }).flat();
}

function readBlock(item: unknown, param: string, readingState: ReadingState): Content[] {
  const block = readObject(item, param);
  if (typeof block.type === "string" && SERVER_BLOCKS.has(block.type)) {
    readingState.dropped.add(`messages.${block.type}`);
    return [];
  }
  const type = readChoice(block.type, `${param}.type`, [
    "text",
    "image",
    "document",
    "search_result",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
  ]);
  switch (type) {
    case "thinking":
      return [
        {
          type: "thinking",
          text: readString(block.thinking, `${param}.thinking`, 0, TEXT_LENGTH_MAX),
          signature: readOptional(block.signature, (value) =>
            readString(value, `${param}.signature`, 0, TEXT_LENGTH_MAX),
          ),
        },
      ];
    case "redacted_thinking":
      return [{ type: "thinking", text: "", sealed: readString(block.data, `${param}.data`, 1, TEXT_LENGTH_MAX) }];
    case "tool_use":
      return [readToolUse(block, param, readingState)];
    case "tool_result":
      return [readToolResult(block, param, readingState)];
    default:
      return readVisibleBlock(block, type, param, readingState);
  }
}

type VisibleBlockType = "text" | "image" | "document" | "search_result";

/** What can be shown to a model, by its user or by a tool. */
function readVisibleBlock(
  block: Fields,
  type: VisibleBlockType,
  param: string,
  readingState: ReadingState,
): (TextContent | Attachment)[] {
  const cache = readCacheControl(block, param);
  switch (type) {
    case "text":
      if (isNonEmpty(block.citations)) readingState.dropped.add("citations");
      return toTextContent(block.text, `${param}.text`, cache);
    case "image":
      if (isNonEmpty(block.transformations)) readingState.dropped.add("transformations");
      return [{ ...readImage(block.source, `${param}.source`), ...cache }];
    case "document":
      return readDocument(block, param, readingState, cache);
    case "search_result": {
      if (isNonEmpty(block.citations)) readingState.dropped.add("citations");
      const heading = [block.title, block.source].filter((word) => typeof word === "string");
      const words = readTextBlocks(block.content, `${param}.content`).map(({ text }) => text);
      return toTextContent([...heading, ...words].join("\n"), param, cache);
    }
  }
}

function readImage(value: unknown, param: string): Attachment {
  const source = readObject(value, param);
  const type = readChoice(source.type, `${param}.type`, ["base64", "url"]);
  return {
    type: "attachment",
    kind: "image",
    url: type === "url" ? readUrl(source.url, `${param}.url`) : readBase64(source, param),
  };
}

/** A document of words becomes words, so that it is judged and counted like any others; a PDF stays what it is. */
function readDocument(
  block: Fields,
  param: string,
  readingState: ReadingState,
  cache: ReturnType<typeof readCacheControl>,
): (TextContent | Attachment)[] {
  if (isNonEmpty(block.citations)) readingState.dropped.add("citations");
  const source = readObject(block.source, `${param}.source`);
  const type = readChoice(source.type, `${param}.source.type`, ["base64", "text", "content", "url"]);
  const title = readOptional(block.title, (value) => readString(value, `${param}.title`, 0, 500));
  const context = readOptional(block.context, (value) => readString(value, `${param}.context`, 0, TEXT_LENGTH_MAX));
  const heading = (words: readonly (string | undefined)[]) =>
    words.filter((word) => word !== undefined && word !== "").join("\n");
  if (type === "text") {
    const words = readString(source.data, `${param}.source.data`, 0, TEXT_LENGTH_MAX);
    return toTextContent(heading([title, context, words]), param, cache);
  }
  if (type === "content") {
    const inner = readNestedContent(source.content, `${param}.source.content`, readingState);
    const led = [...toTextContent(heading([title, context]), param, {}), ...inner];
    return led.map((content, index) => (index === led.length - 1 ? { ...content, ...cache } : content));
  }
  const url =
    type === "url"
      ? readUrl(source.url, `${param}.source.url`)
      : readBase64(source, `${param}.source`, ["application/pdf"]);
  const name = title === undefined || title === "" ? {} : { name: title };
  return [
    ...toTextContent(heading([context]), param, {}),
    { type: "attachment", kind: "file", url, ...name, ...cache },
  ];
}

function readToolUse(block: Fields, param: string, readingState: ReadingState): Content {
  const id = readString(block.id, `${param}.id`, 1, 256);
  const name = readString(block.name, `${param}.name`, 1, 256);
  readingState.toolNames.set(id, name);
  return {
    type: "tool-call",
    id,
    name,
    arguments: JSON.stringify(readObject(block.input ?? {}, `${param}.input`)),
    ...readCacheControl(block, param),
  };
}

function readToolResult(block: Fields, param: string, readingState: ReadingState): Content {
  const id = readString(block.tool_use_id, `${param}.tool_use_id`, 1, 256);
  const inner =
    readOptional(block.content, (value) => readNestedContent(value, `${param}.content`, readingState)) ?? [];
  const attachments = inner.filter((content) => content.type === "attachment");
  const name = readingState.toolNames.get(id);
  return {
    type: "tool-result",
    id,
    ...(name === undefined ? {} : { name }),
    text: inner.flatMap((content) => (content.type === "text" ? [content.text] : [])).join("\n"),
    ...(block.is_error === true ? { isError: true } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...readCacheControl(block, param),
  };
}

/** What stands inside a document or a tool's result. */
function readNestedContent(value: unknown, param: string, readingState: ReadingState): (TextContent | Attachment)[] {
  if (typeof value === "string") return toTextContent(value, param, {});
  return readList(value, param, BLOCKS_MAX, (item, path) => {
    const block = readObject(item, path);
    const type = readChoice(block.type, `${path}.type`, ["text", "image", "document", "search_result"]);
    return readVisibleBlock(block, type, path, readingState);
  }).flat();
}

function readBase64(source: Fields, param: string, mediaTypes?: readonly string[]): string {
  const path = `${param}.media_type`;
  const mediaType =
    mediaTypes === undefined
      ? readString(source.media_type, path, 1, 128)
      : readChoice(source.media_type, path, mediaTypes);
  if (!/^[a-z]+\/[a-z0-9.+-]+$/i.test(mediaType))
    throw invalidField(path, `\`${path}\` must be a media type, such as image/png.`);
  return `data:${mediaType};base64,${readString(source.data, `${param}.data`, 1, DATA_LENGTH_MAX)}`;
}

function readUrl(value: unknown, param: string): string {
  const url = readString(value, param, 1, 8192);
  if (!URL.canParse(url) || new URL(url).protocol !== "https:")
    throw invalidField(param, `\`${param}\` must be an https: URL. Send anything else as base64.`);
  return url;
}

/** An empty text says nothing, and some providers refuse it. */
function toTextContent(value: unknown, param: string, cache: ReturnType<typeof readCacheControl>): TextContent[] {
  const text = readString(value, param, 0, TEXT_LENGTH_MAX);
  return text === "" ? [] : [{ type: "text", text, ...cache }];
}

function isNonEmpty(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/** Where a client marks what a provider may keep in its cache, on whatever carries `cache_control`. */
export function readCacheControl({ cache_control: value }: Fields, param: string): { cache?: CacheBreakpoint } {
  const path = param === "" ? "cache_control" : `${param}.cache_control`;
  const mark = readOptional(value, (given) => {
    const fields = readObject(given, path);
    readChoice(fields.type, `${path}.type`, ["ephemeral"]);
    return { ttl: readOptional(fields.ttl, (ttl) => readChoice(ttl, `${path}.ttl`, ["5m", "1h"] as const)) };
  });
  return mark === undefined ? {} : { cache: mark };
}
