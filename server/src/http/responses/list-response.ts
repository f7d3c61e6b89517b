import { Fault } from "@trunkline/core/fault.ts";
import { isId } from "@trunkline/core/id.ts";
import { z } from "zod";
import type { HttpRequest } from "../endpoints/http-request.ts";

/** The query of every paged list. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().optional().describe("`next_cursor` of the page before."),
});

/** The response of every paged list. */
export function pageResponseSchema(item: z.ZodType) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** One page of items whose ids are their cursors. */
export async function listPage<Item extends { readonly id: string }>(
  query: z.output<typeof pageQuery>,
  fetch: (limit: number, cursor: string | undefined) => Promise<Item[]>,
  toResponse: (item: Item) => unknown,
  isCursor: (text: string) => boolean = isId,
) {
  if (query.cursor !== undefined && !isCursor(query.cursor)) throw invalidCursorFault();
  return toPage(await fetch(query.limit + 1, query.cursor), query.limit, toResponse, ({ id }) => id);
}

/** One page. `items` holds one more than `limit` where there are more pages. */
export function toPage<Item>(
  items: readonly Item[],
  limit: number,
  toResponse: (item: Item) => unknown,
  cursorOf: (item: Item) => string,
) {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map(toResponse),
    next_cursor: items.length > limit && last !== undefined ? cursorOf(last) : null,
  };
}

export function invalidCursorFault(): Fault {
  return new Fault("invalid_request", "`cursor` must be the `next_cursor` of an earlier page.", {
    param: "cursor",
  });
}

/** The id that a page of another vendor's list begins after or ends before, without its prefix. */
export function requireCursor(id: string, param: string): string {
  if (!isId(id)) throw new Fault("invalid_request", `\`${param}\` must be an id of this list.`, { param });
  return id;
}

/** A list in OpenAI's form: the next page starts after the id of the last entry. */
export const openAiListSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal("list"),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });

export function openAiListQuery(limitMax: number, limitDefault: number) {
  return z.object({
    after: z.string().max(64).optional().describe("The id of the last entry of the page before."),
    limit: z.coerce.number().int().min(1).max(limitMax).default(limitDefault),
  });
}

/** One page in OpenAI's form. `items` holds one more than `limit` where there are more pages. */
export function toOpenAiList<Item extends { readonly id: string }>(items: readonly Item[], limit: number) {
  const data = items.slice(0, limit);
  return {
    object: "list" as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  };
}

/** Whether a client asks for CSV instead of JSON. */
export function wantsCsv(request: HttpRequest): boolean {
  return /\btext\/csv\b/i.test(request.headers.accept ?? "");
}

/** Rows as CSV (RFC 4180). A leading apostrophe defuses texts that a spreadsheet would run as a formula. */
export function toCsv(columns: readonly string[], rows: readonly Readonly<Record<string, string | number>>[]): string {
  const lines = [columns.join(","), ...rows.map((row) => columns.map((column) => toCsvCell(row[column])).join(","))];
  return `${lines.join("\r\n")}\r\n`;
}

function toCsvCell(value: string | number | undefined): string {
  if (typeof value === "number") return plainDecimal(value);
  const text = value ?? "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes 0.000000001 instead of 1e-9: not every spreadsheet reads exponents. */
function plainDecimal(value: number): string {
  return /e/.test(String(value)) ? value.toFixed(9).replace(/\.?0+$/, "") : String(value);
}
