import type { AttachedFile } from "../../../batches/attached-file.ts";
import type { Preparation } from "../../endpoints/endpoint.ts";
import type { Fields } from "../../requests/fields.ts";
import { findFiles } from "../find-files.ts";

/** Whether a list of messages or items names files by their ids. */
export function namesFiles(items: unknown): boolean {
  if (!Array.isArray(items)) return false;
  for (const item of items) for (const part of partsOf(item)) if (fileIdOf(part) !== undefined) return true;
  return false;
}

/** The files that messages or items name. Those that are not there are left out. */
export function findNamedFiles(
  preparation: Pick<Preparation, "services" | "caller" | "countBytes">,
  items: readonly unknown[],
): Promise<ReadonlyMap<string, AttachedFile>> {
  return findFiles(
    preparation,
    new Set(items.flatMap((item) => partsOf(item).flatMap((part) => fileIdOf(part) ?? []))),
  );
}

/** The same messages or items with the files themselves. A file that is not there stays an id, which is refused when it is read. */
export function attachFiles<Item>(items: readonly Item[], files: ReadonlyMap<string, AttachedFile>): readonly Item[] {
  if (files.size === 0) return items;
  return items.map((item) => {
    if (!partsOf(item).some((part) => fileIdOf(part) !== undefined)) return item;
    const { content, output } = item as Fields;
    return {
      ...item,
      ...(Array.isArray(content) ? { content: content.map((part: Fields) => attachFile(part, files)) } : {}),
      ...(Array.isArray(output) ? { output: output.map((part: Fields) => attachFile(part, files)) } : {}),
    };
  });
}

function attachFile(part: Fields, files: ReadonlyMap<string, AttachedFile>): Fields {
  const file = files.get(fileIdOf(part) ?? "");
  if (file === undefined) return part;
  const { file_id: _, ...others } = part;
  if (part.type === "input_image")
    return file.mediaType.startsWith("image/") ? { ...others, image_url: toDataUrl(file) } : part;
  const data = { filename: file.name, file_data: toDataUrl(file) };
  return part.type === "file" ? { ...others, file: data } : { ...others, ...data };
}

/** The id of the file that a part of a message names. */
function fileIdOf(part: unknown): string | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, file_id: id, file } = part as Fields;
  if (type === "input_image" || type === "input_file") return typeof id === "string" ? id : undefined;
  if (type !== "file" || typeof file !== "object" || file === null) return undefined;
  const { file_id: inner } = file as Fields;
  return typeof inner === "string" ? inner : undefined;
}

const NO_PARTS: readonly unknown[] = [];

/** The parts of a message, or of a tool's result. */
function partsOf(item: unknown): readonly unknown[] {
  if (typeof item !== "object" || item === null) return NO_PARTS;
  const { content, output } = item as Fields;
  if (Array.isArray(content)) return content;
  return Array.isArray(output) ? output : NO_PARTS;
}

function toDataUrl({ mediaType, content }: AttachedFile): string {
  return `data:${mediaType};base64,${content.toString("base64")}`;
}
