/** A column: its heading, and the text of a row in it. Figures stand to the right. */
export interface Column<Row> {
  readonly name: string;
  readonly right?: boolean;
  readonly text: (row: Row) => string;
}

/** A table for people, with a heading and as wide as its widest texts. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const texts = rows.map((row) => columns.map((column) => oneLine(column.text(row))));
  const widths = columns.map(({ name }, index) =>
    Math.max(name.length, ...texts.map((cells) => (cells[index] ?? "").length)),
  );
  const lines = [columns.map(({ name }) => name.toUpperCase()), ...texts].map((cells) =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, columns[index]?.right === true))
      .join("  ")
      .trimEnd(),
  );
  return lines.join("\n");
}

/** A text as wide as its place in a table. */
export function pad(text: string, width: number, right = false): string {
  return right ? text.padStart(width) : text.padEnd(width);
}

/** A text that can't move the cursor or colour the screen: names and answers come from others. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}

export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}

/** Credits without an exponent, to the ninth decimal. */
export function formatCredits(credits: number): string {
  return credits.toFixed(9).replace(/\.?0+$/, "");
}

/** A time in the terminal's own zone, such as 2025-03-01 14:05:09. */
export function formatTime(iso: string): string {
  return new Date(iso).toLocaleString("sv-SE");
}
