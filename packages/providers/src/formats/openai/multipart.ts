import { randomBytes } from "node:crypto";
import type { Attachment } from "@trunkline/core/conversation.ts";
import { readDataUrl } from "@trunkline/core/data-url.ts";
import { fileExtensionOf, onlyDataUrlsSupported } from "./messages.ts";

/** A file within a form. */
interface FormFile {
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The file of an attachment, under the name of a field. */
export function toFormFile(field: string, { kind, url, name }: Attachment): FormFile {
  const data = readDataUrl(url);
  if (data === undefined) throw onlyDataUrlsSupported(kind);
  return {
    field,
    name: name ?? `${kind}.${fileExtensionOf(data.mediaType)}`,
    mediaType: data.mediaType,
    bytes: Buffer.from(data.base64, "base64"),
  };
}

/** A form with files. The boundary is random, so that no file can contain it. */
export function toMultipart(
  fields: Readonly<Record<string, unknown>>,
  files: readonly FormFile[],
): { readonly contentType: string; readonly body: Buffer } {
  const boundary = `trunkline-${randomBytes(16).toString("hex")}`;
  const head = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const texts = Object.entries(fields)
    .flatMap(toFormFields)
    .map(([name, value]) => `${head(`name="${escapeName(name)}"`)}\r\n${value}\r\n`);
  const contents = files.flatMap(({ field, name, mediaType, bytes }) => [
    Buffer.from(
      `${head(`name="${escapeName(field)}"; filename="${escapeName(name)}"`)}content-type: ${mediaType}\r\n\r\n`,
    ),
    bytes,
    Buffer.from("\r\n"),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(texts.join("")), ...contents, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** A list becomes one form field per entry. */
function toFormFields([name, value]: [string, unknown]): (readonly [string, string])[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((entry) => [`${name}[]`, writeValue(entry)] as const);
  return [[name, writeValue(value)]];
}

function writeValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Escapes characters that would end a name, as browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
