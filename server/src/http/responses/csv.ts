import type { FastifyRequest } from "fastify";

/** Whether a client asks for CSV instead of JSON. */
export function wantsCsv(request: FastifyRequest): boolean {
  return /\btext\/csv\b/i.test(request.headers.accept ?? "");
}

/** Rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula is defused by a leading apostrophe. */
export function toCsv(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string | number>>[],
): string {
  const lines = [
    columns.join(","),
    ...rows.map((row) => columns.map((column) => toCsvCell(row[column])).join(",")),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

function toCsvCell(value: string | number | undefined): string {
  if (typeof value === "number") return plainDecimal(value);
  const text = value ?? "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** 0.000000001 and not 1e-9: not every spreadsheet reads exponents. */
function plainDecimal(value: number): string {
  return /e/.test(String(value)) ? value.toFixed(9).replace(/\.?0+$/, "") : String(value);
}
