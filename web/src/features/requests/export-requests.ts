import type { RequestPage, RequestQuery, RequestRow } from "./request-feed.ts";

type Ask = (query: RequestQuery) => Promise<RequestPage>;

const PAGE = 100;
/** What one file holds at most: more than that is for the API. */
export const EXPORT_MAX = 10_000;
const PAGES_MAX = 500;

/** The requests that pass a filter, newest first, and whether there were more. */
export async function collectRequests(
  ask: Ask,
  filter: RequestQuery,
  max = EXPORT_MAX,
): Promise<{ readonly rows: readonly RequestRow[]; readonly isCut: boolean }> {
  const rows: RequestRow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX && rows.length < max; page++) {
    const { data, next_cursor: next } = await ask({
      ...filter,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    });
    rows.push(...data);
    if (next === null) return { rows: rows.slice(0, max), isCut: rows.length > max };
    cursor = next;
  }
  return { rows: rows.slice(0, max), isCut: true };
}

const COLUMNS = [
  "id",
  "created_at",
  "status",
  "error_type",
  "model",
  "task",
  "path",
  "key_id",
  "key_name",
  "input_tokens",
  "output_tokens",
  "latency_ms",
  "cost",
] as const satisfies readonly (keyof RequestRow)[];

/** The requests as a table, amounts in credits with every decimal. */
export function toCsv(rows: readonly RequestRow[]): string {
  const lines = rows.map((row) => [...COLUMNS.map((name) => writeCell(row[name])), writeCell(writeTags(row.tags))]);
  return [[...COLUMNS, "tags"], ...lines].map((cells) => `${cells.join(",")}\r\n`).join("");
}

function writeTags(tags: RequestRow["tags"]): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
}

/** A cell that no spreadsheet takes for a formula. */
function writeCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number")
    return /e/.test(String(value)) ? value.toFixed(9).replace(/\.?0+$/, "") : String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
