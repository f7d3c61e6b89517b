/** A table that can be read as it is and as Markdown. The first columns hold words, the others numbers. */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  words = 1,
): string {
  const widths = heads.map((head, column) =>
    Math.max(3, head.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => pad(cell, widths[column] ?? 0, column < words)).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column < words ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(heads), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

function pad(cell: string, width: number, isWord: boolean): string {
  return isWord ? cell.padEnd(width) : cell.padStart(width);
}

const BARS = "▁▂▃▄▅▆▇█";

/** Values as a line of bars; a gap where there is none. */
export function sparkline(values: readonly number[], most: number): string {
  return values
    .map((value) => {
      if (Number.isNaN(value)) return " ";
      const height = Math.min(1, Math.max(0, value / most));
      return BARS[Math.round(height * (BARS.length - 1))] ?? " ";
    })
    .join("");
}
