import type { IncomingMessage } from "node:http";
import { Fault } from "@trunkline/core/fault.ts";
import { readBytes } from "../../requests/read-body.ts";
import { FormFile, readMultipart } from "../../requests/read-multipart.ts";

const FILE_NAME_LENGTH_MAX = 256;

/** A file for batches as it was uploaded: in a form, or as the body itself. */
export interface UploadedFile {
  readonly name: string;
  readonly content: Buffer;
}

export async function readUpload(
  request: IncomingMessage,
  limitBytes: number,
  waitMs: number,
): Promise<UploadedFile> {
  const contentType = request.headers["content-type"] ?? "";
  if (/^application\/(jsonl|x-jsonlines|x-ndjson|ndjson) *(;|$)/i.test(contentType))
    return { name: "batch.jsonl", content: requireContent(await readBytes(request, limitBytes, waitMs)) };
  const { fields } = await readMultipart(request, limitBytes, waitMs);
  if (fields.purpose !== "batch")
    throw new Fault("invalid_request", "`purpose` must be `batch`.", { param: "purpose" });
  const { file } = fields;
  if (!(file instanceof FormFile))
    throw new Fault("invalid_request", "`file` is required, as a file.", { param: "file" });
  return { name: fileNameOf(file), content: requireContent(file.bytes) };
}

/** The client's own word, without what a name can't hold. */
function fileNameOf({ name }: FormFile): string {
  return (
    [...name.replaceAll(/[\p{Cc}\p{Cs}]/gu, "")].slice(0, FILE_NAME_LENGTH_MAX).join("") || "batch.jsonl"
  );
}

function requireContent(content: Buffer): Buffer {
  if (content.length === 0) throw new Fault("invalid_request", "`file` is empty.", { param: "file" });
  return content;
}
