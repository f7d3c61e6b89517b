import type { Attachment, CacheBreakpoint, Content, TextContent } from "@trunkline/core/conversation.ts";
import type { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { Field } from "../../requests/field-table.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { ITEMS_MAX, TEXT_LENGTH_MAX } from "../limits.ts";
import { restoreCallSignatures } from "./call-signature.ts";

/** What is collected while a request is read: the fields that are dropped, and the tool's name of each call. */
export interface ReadingState {
  readonly dropped: Set<string>;
  readonly toolNames: Map<string, string>;
}

function readCacheBreakpoint(value: unknown, param: string): CacheBreakpoint {
  const fields = readObject(value, param);
  readChoice(fields.type, `${param}.type`, ["ephemeral"]);
  return { ttl: readOptional(fields.ttl, (ttl) => readChoice(ttl, `${param}.ttl`, ["5m", "1h"] as const)) };
}

export const cacheControlField = new Field(
  readCacheBreakpoint,
  z.object({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }),
)
  .nullish()
  .describe("A mark up to which a provider may keep the request in its cache. Passed on as it is.");

/** The mark of what a provider may keep in its cache, on anything that carries `cache_control`. */
export function readCacheControl({ cache_control: value }: Fields, param: string): { cache?: CacheBreakpoint } {
  const cache = cacheControlField.read(value, `${param}.cache_control`);
  return cache === undefined ? {} : { cache };
}

const textBlock = z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheControlField.schema });

const source = z.union([
  z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.object({ type: z.literal("url"), url: z.string().describe("https: URL") }),
  z.object({ type: z.literal("file"), file_id: z.string().describe("A file that was uploaded.") }),
]);

const imageBlock = z.object({ type: z.literal("image"), source, cache_control: cacheControlField.schema });

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
  cache_control: cacheControlField.schema,
});

const searchResultBlock = z.object({
  type: z.literal("search_result"),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock),
  cache_control: cacheControlField.schema,
});

export const thinkingBlockSchema = z.object({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string(),
});
export const redactedBlockSchema = z.object({ type: z.literal("redacted_thinking"), data: z.string() });
export const toolUseFields = {
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
};

const contentSchema = z.union([
  z.string(),
  z.array(
    z.union([
      textBlock,
      imageBlock,
      documentBlock,
      searchResultBlock,
      thinkingBlockSchema,
      redactedBlockSchema,
      z.object({ ...toolUseFields, cache_control: cacheControlField.schema }),
      z.object({
        type: z.literal("tool_result"),
        tool_use_id: z.string(),
        content: z
          .union([z.string(), z.array(z.union([textBlock, imageBlock, documentBlock, searchResultBlock]))])
          .optional(),
        is_error: z.boolean().optional(),
        cache_control: cacheControlField.schema,
      }),
    ]),
  ),
]);

export const contentField = new Field(readContent, contentSchema);
export const textBlocksField = new Field(readTextBlocks, z.union([z.string(), z.array(textBlock)]));

/** Blocks that only Anthropic's own servers make and read. */
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

/** A plain text or a list of blocks. */
function readContent(value: unknown, param: string, readingState: ReadingState): Content[] {
  if (typeof value === "string") return toTextContent(value, param, {});
  return restoreCallSignatures(
    readList(value, param, ITEMS_MAX, (item, path) => readBlock(item, path, readingState)).flat(),
  );
}

/** A plain text or a list of text blocks, as in `system`. */
function readTextBlocks(value: unknown, param: string): TextContent[] {
  if (typeof value === "string") return toTextContent(value, param, {});
  return readList(value, param, ITEMS_MAX, (item, path) => {
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

/** A block that a user or a tool can show to a model. */
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
  const type = readChoice(source.type, `${param}.type`, ["base64", "url", "file"]);
  if (type === "file") throw noSuchFile(param);
  return {
    type: "attachment",
    kind: "image",
    url: type === "url" ? readUrl(source.url, `${param}.url`) : readBase64(source, param),
  };
}

/** A file that can be used stands in its place by now. */
function noSuchFile(param: string): Fault {
  return invalidField(
    `${param}.file_id`,
    "There is no such file, or it is no image, or for a document no PDF and no text. Upload it with POST /v1/files, or send the file itself.",
  );
}

/** A text document becomes text, so that the safety check and the quote see it. A PDF stays an attachment. */
function readDocument(
  block: Fields,
  param: string,
  readingState: ReadingState,
  cache: ReturnType<typeof readCacheControl>,
): (TextContent | Attachment)[] {
  if (isNonEmpty(block.citations)) readingState.dropped.add("citations");
  const source = readObject(block.source, `${param}.source`);
  const type = readChoice(source.type, `${param}.source.type`, ["base64", "text", "content", "url", "file"]);
  if (type === "file") throw noSuchFile(`${param}.source`);
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

/** The content inside a document or a tool's result. */
function readNestedContent(value: unknown, param: string, readingState: ReadingState): (TextContent | Attachment)[] {
  if (typeof value === "string") return toTextContent(value, param, {});
  return readList(value, param, ITEMS_MAX, (item, path) => {
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
  return `data:${mediaType};base64,${readString(source.data, `${param}.data`, 1, TEXT_LENGTH_MAX)}`;
}

function readUrl(value: unknown, param: string): string {
  const url = readString(value, param, 1, 8192);
  if (!URL.canParse(url) || new URL(url).protocol !== "https:")
    throw invalidField(param, `\`${param}\` must be an https: URL. Send anything else as base64.`);
  return url;
}

/** An empty text is left out, since some providers refuse it. */
function toTextContent(value: unknown, param: string, cache: ReturnType<typeof readCacheControl>): TextContent[] {
  const text = readString(value, param, 0, TEXT_LENGTH_MAX);
  return text === "" ? [] : [{ type: "text", text, ...cache }];
}

function isNonEmpty(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
