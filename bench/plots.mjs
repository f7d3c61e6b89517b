// @ts-check
/** Bar charts as SVG, in the colours of the reader's theme. */

const WIDTH = 760;
const BAR = 22;
const GAP = 8;
const LEFT = 190;
const RIGHT = 110;
const TOP = 44;

const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 15px; }
  .ours { fill: #2563eb; }
  .other { fill: #9aa4b2; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .ours { fill: #60a5fa; } .other { fill: #6b7686; } }
</style>`;

/** @typedef {{ name: string, value: number, label: string, isOurs: boolean }} Bar */

/** @param {string} title @param {readonly Bar[]} bars */
export function barChart(title, bars) {
  const height = TOP + bars.length * (BAR + GAP) + GAP;
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const rows = bars.map(({ name, value, label, isOurs }, index) => {
    const y = TOP + index * (BAR + GAP);
    const length = Math.max(1, (Math.max(0, value) / most) * (WIDTH - LEFT - RIGHT));
    return [
      `  <text x="${LEFT - 10}" y="${y + BAR / 2 + 5}" text-anchor="end">${escapeText(name)}</text>`,
      `  <rect class="${isOurs ? "ours" : "other"}" x="${LEFT}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" rx="3"/>`,
      `  <text x="${(LEFT + length + 8).toFixed(1)}" y="${y + BAR / 2 + 5}">${escapeText(label)}</text>`,
    ].join("\n");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeText(title)}">`,
    STYLE,
    `  <text class="title" x="10" y="26">${escapeText(title)}</text>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/** @param {string} text */
function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
