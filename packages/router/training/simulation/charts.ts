/** A Markdown table that is readable as text. The first columns hold words, the others numbers. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[], words = 1): string {
  const widths = heads.map((head, column) =>
    Math.max(3, head.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => pad(cell, widths[column] ?? 0, column < words)).join(" | ")} |`;
  const rule = widths.map((width, column) => (column < words ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(heads), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

function pad(cell: string, width: number, isWord: boolean): string {
  return isWord ? cell.padEnd(width) : cell.padStart(width);
}

const BARS = "▁▂▃▄▅▆▇█";

/** Values as a line of bars, with gaps for missing ones. */
export function sparkline(values: readonly number[], most: number): string {
  return values
    .map((value) => {
      if (Number.isNaN(value)) return " ";
      const height = Math.min(1, Math.max(0, value / most));
      return BARS[Math.round(height * (BARS.length - 1))] ?? " ";
    })
    .join("");
}

/** One line of a panel; NaN leaves a gap. */
interface Line {
  readonly name: string;
  readonly values: readonly number[];
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  /** The end of the scale; larger values are clipped. */
  readonly max: number;
}

interface Marker {
  /** 0 to 1 of the width. */
  readonly at: number;
  readonly name: string;
}

const WIDTH = 960;
const PANEL_HEIGHT = 170;
const LEFT = 60;
const RIGHT = 150;
const GAP = 46;
const MARKERS_HEIGHT = 150;
/** Distinguishable for colour-blind readers too. */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/** Panels below each other over the same time, with the events as labels. */
export function drawPlot(title: string, panels: readonly Panel[], markers: readonly Marker[]): string {
  const height = GAP + panels.length * (PANEL_HEIGHT + GAP) + MARKERS_HEIGHT;
  const bottom = height - MARKERS_HEIGHT;
  const body = [
    `<text x="${LEFT}" y="24" font-size="16" font-weight="bold">${escapeXml(title)}</text>`,
    ...markers.map((marker) => drawMarker(marker, bottom)),
    ...panels.map((panel, index) => drawPanel(panel, GAP + 14 + index * (PANEL_HEIGHT + GAP))),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

function drawPanel({ title, lines, max: most }: Panel, top: number): string {
  const span = WIDTH - LEFT - RIGHT;
  const y = (value: number) => top + PANEL_HEIGHT * (1 - Math.min(1, Math.max(0, value / most)));
  const grid = [0, 0.5, 1].map((share) => {
    const at = y(share * most);
    return (
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#ddd"/>` +
      `<text x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${Number((share * most).toPrecision(3))}</text>`
    );
  });
  const drawn = lines.map(({ name, values }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? "black";
    const x = (place: number) => LEFT + (span * (place + 0.5)) / values.length;
    const label = `<text x="${WIDTH - RIGHT + 8}" y="${top + 14 + index * 16}" fill="${colour}">${escapeXml(name)}</text>`;
    return `${label}<path d="${pathOf(values, x, y)}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
  });
  return [`<text x="${LEFT}" y="${top - 6}" font-weight="bold">${escapeXml(title)}</text>`, ...grid, ...drawn].join(
    "\n",
  );
}

function pathOf(values: readonly number[], x: (place: number) => number, y: (value: number) => number): string {
  let path = "";
  let isDown = false;
  for (const [place, value] of values.entries()) {
    if (Number.isNaN(value)) {
      isDown = false;
      continue;
    }
    path += `${isDown ? "L" : "M"}${x(place).toFixed(1)} ${y(value).toFixed(1)}`;
    isDown = true;
  }
  return path;
}

function drawMarker({ at, name }: Marker, bottom: number): string {
  const x = LEFT + (WIDTH - LEFT - RIGHT) * at;
  return (
    `<line x1="${x}" x2="${x}" y1="${GAP}" y2="${bottom - 20}" stroke="#999" stroke-dasharray="3 3"/>` +
    `<text transform="translate(${x + 3} ${bottom - 12}) rotate(50)">${escapeXml(name)}</text>`
  );
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
