// @ts-check

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

/** The value below which a share of them is. @param {readonly number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** @param {number} value @param {number} decimals */
export function digits(value, decimals) {
  if (Number.isNaN(value)) return "";
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** A Markdown table whose first columns hold words and the others numbers. @param {readonly string[]} heads @param {readonly (readonly string[])[]} rows @param {number} words */
export function tableOf(heads, rows, words) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map((_, index) => (index < words ? "---" : "---:"))), ...rows.map(line)];
}
