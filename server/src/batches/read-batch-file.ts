import { Fault } from "@trunkline/core/fault.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import { parseStrictJson } from "@trunkline/core/strict-json.ts";
import type { BatchError, BatchLine } from "./batches.ts";

export const LINES_MAX = 10_000;
/** The most errors that are listed for one file. */
const ERRORS_MAX = 100;
const CUSTOM_ID_MAX = 256;

/** The requests of a file, or its errors. */
export type BatchFileResult =
  | { readonly lines: readonly BatchLine[] }
  | { readonly errors: readonly [BatchError, ...BatchError[]] };

/** Reads a file of requests, one JSON object per line. Each line must name the batch's endpoint and a unique id. */
export function readBatchFile(content: Buffer, endpoint: string): BatchFileResult {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return { errors: [batchError("invalid_file", "The file is not valid UTF-8.")] };
  }
  const rows = text.split("\n").flatMap((row, index) => (row.trim() === "" ? [] : [{ row, line: index + 1 }]));
  if (rows.length === 0) return { errors: [batchError("empty_file", "The file holds no request.")] };
  if (rows.length > LINES_MAX) {
    const linesMax = LINES_MAX.toLocaleString("en");
    return { errors: [batchError("too_many_requests", `A file may hold at most ${linesMax} requests.`)] };
  }
  const lines: BatchLine[] = [];
  const errors: BatchError[] = [];
  const seen = new Set<string>();
  for (const { row, line } of rows) {
    const read = readLine(row, line, endpoint);
    if ("code" in read) errors.push(read);
    else if (seen.has(read.customId))
      errors.push(batchError("duplicate_custom_id", "This `custom_id` was used before.", line, "custom_id"));
    else lines.push(read);
    if ("customId" in read) seen.add(read.customId);
  }
  const [first, ...others] = errors;
  return first === undefined ? { lines } : { errors: [first, ...others.slice(0, ERRORS_MAX - 1)] };
}

function readLine(row: string, line: number, endpoint: string): BatchLine | BatchError {
  let fields: unknown;
  try {
    fields = parseStrictJson(row);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return batchError("invalid_json_line", error.message, line);
  }
  if (!isObject(fields)) return batchError("invalid_json_line", "A line must be a JSON object.", line);
  const { custom_id: customId, method, url, body } = fields;
  if (typeof customId !== "string" || !isCustomId(customId)) {
    const form = `1 to ${CUSTOM_ID_MAX} characters without control characters`;
    return batchError("invalid_custom_id", `\`custom_id\` must be ${form}.`, line, "custom_id");
  }
  if (method !== "POST") return batchError("invalid_method", "`method` must be POST.", line, "method");
  if (url !== endpoint)
    return batchError("mismatched_url", `\`url\` must be the batch's endpoint, ${endpoint}.`, line, "url");
  if (!isObject(body)) return batchError("invalid_body", "`body` must be an object.", line, "body");
  return { line, customId, body: JSON.stringify(body) };
}

function isCustomId(text: string): boolean {
  return text.length > 0 && text.length <= CUSTOM_ID_MAX && !/[\p{Cc}\p{Cs}]/u.test(text);
}

function batchError(
  code: string,
  message: string,
  line: number | null = null,
  param: string | null = null,
): BatchError {
  return { code, message, line, param };
}
