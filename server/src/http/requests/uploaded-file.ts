import { Fault } from "@trunkline/core/fault.ts";
import { type AttachedFile, mediaTypeOf } from "../../batches/attached-file.ts";
import { FormFile } from "./read-body.ts";

type FormFields = Readonly<Record<string, unknown>>;

const FILE_NAME_LENGTH_MAX = 256;
const KEPT_SECONDS_MIN = 3_600;

/** The field `file` of a form. */
export function readUploadedFile({ file }: FormFields, nameOtherwise: string): AttachedFile {
  if (!(file instanceof FormFile))
    throw new Fault("invalid_request", "`file` is required, as a file.", { param: "file" });
  const name = fileNameOf(file) || nameOtherwise;
  return { name, mediaType: mediaTypeOf(name, file.mediaType), content: requireContent(file.bytes) };
}

/** The client's own name for the file, without control characters and lone surrogates. */
function fileNameOf({ name }: FormFile): string {
  return [...name.replaceAll(/[\p{Cc}\p{Cs}]/gu, "")].slice(0, FILE_NAME_LENGTH_MAX).join("");
}

export function requireContent(content: Buffer): Buffer {
  if (content.length === 0) throw new Fault("invalid_request", "`file` is empty.", { param: "file" });
  return content;
}

/** For how long a client wants a file to be kept, by a field in seconds. */
export function readKeptMs(fields: FormFields, param: string): number | undefined {
  const seconds = fields[param];
  if (seconds === undefined) return undefined;
  if (typeof seconds !== "string" || !/^\d{1,9}$/.test(seconds) || Number(seconds) < KEPT_SECONDS_MIN)
    throw new Fault("invalid_request", `\`${param}\` must be a whole number, at least ${KEPT_SECONDS_MIN}.`, { param });
  return Number(seconds) * 1_000;
}
