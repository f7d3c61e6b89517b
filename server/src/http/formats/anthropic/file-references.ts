import type { AttachedFile } from "../../../batches/attached-file.ts";
import type { Preparation, PreparedRequest } from "../../endpoints/endpoint.ts";
import { type Fields, readObject } from "../../requests/fields.ts";
import { findFiles } from "../find-files.ts";

/** Whether messages name files by their ids. */
export function namesFiles(body: unknown): boolean {
  for (const message of listOf(body, "messages"))
    for (const block of listOf(message, "content")) if (isOrHoldsReference(block)) return true;
  return false;
}

/** Puts in the files that messages name. A file that is not there stays an id, which is refused when it is read. */
export async function prepareMessages(
  preparation: Pick<Preparation, "services" | "caller" | "body" | "countBytes">,
): Promise<PreparedRequest> {
  const fields = readObject(preparation.body, "");
  const messages = listOf(fields, "messages");
  const ids = new Set<string>();
  for (const message of messages) for (const block of listOf(message, "content")) collectIds(block, ids);
  const files = await findFiles(preparation, ids);
  if (files.size === 0) return { body: fields };
  return { body: { ...fields, messages: messages.map((message) => attachIn(message, "content", files)) } };
}

function isOrHoldsReference(block: unknown): boolean {
  if (fileIdOf(block) !== undefined) return true;
  return (
    listOf(block, "content").some(isOrHoldsReference) || listOf(sourceOf(block), "content").some(isOrHoldsReference)
  );
}

function collectIds(block: unknown, ids: Set<string>): void {
  const id = fileIdOf(block);
  if (id !== undefined) ids.add(id);
  for (const inner of listOf(block, "content")) collectIds(inner, ids);
  for (const inner of listOf(sourceOf(block), "content")) collectIds(inner, ids);
}

type Files = ReadonlyMap<string, AttachedFile>;

/** The same object with the files in its list of blocks. */
function attachIn<Item>(item: Item, name: string, files: Files): Item {
  const blocks = listOf(item, name);
  return blocks.some(isOrHoldsReference) ? { ...item, [name]: blocks.map((block) => attach(block, files)) } : item;
}

/** A block with the file itself, in it or in the blocks that it holds. */
function attach(block: unknown, files: Files): unknown {
  const file = files.get(fileIdOf(block) ?? "");
  if (file !== undefined) return withFile(block as Fields, file);
  const source = sourceOf(block);
  if (source === undefined) return attachIn(block, "content", files);
  return { ...(block as Fields), source: attachIn(source, "content", files) };
}

function withFile(block: Fields, { name, mediaType, content }: AttachedFile): Fields {
  const base64 = () => ({ type: "base64", media_type: mediaType, data: content.toString("base64") });
  if (block.type === "image") return mediaType.startsWith("image/") ? { ...block, source: base64() } : block;
  if (mediaType === "application/pdf") return { ...block, title: block.title ?? name, source: base64() };
  if (!isText(mediaType)) return block;
  return { ...block, source: { type: "text", media_type: "text/plain", data: content.toString("utf8") } };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || /^application\/(?:json|xml|yaml|x-yaml|x-ndjson|jsonl)$/.test(mediaType);
}

/** The id of the file that a picture or a document names. */
function fileIdOf(block: unknown): string | undefined {
  const source = sourceOf(block);
  return source?.type === "file" && typeof source.file_id === "string" ? source.file_id : undefined;
}

function sourceOf(block: unknown): Fields | undefined {
  if (typeof block !== "object" || block === null) return undefined;
  const { source } = block as Fields;
  return typeof source === "object" && source !== null ? (source as Fields) : undefined;
}

const NO_ITEMS: readonly unknown[] = [];

function listOf(holder: unknown, name: string): readonly unknown[] {
  if (typeof holder !== "object" || holder === null) return NO_ITEMS;
  const list = (holder as Fields)[name];
  return Array.isArray(list) ? list : NO_ITEMS;
}
