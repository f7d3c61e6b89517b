/** A text as JSON. Most texts need no escapes, and then the check is quicker than `JSON.stringify`. */
export function textToJson(text: string): string {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const needsEscape = code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff);
    if (needsEscape) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** The same for a list. */
export function textsToJson(texts: readonly string[]): string {
  let json = "";
  for (const text of texts) json += json === "" ? textToJson(text) : `,${textToJson(text)}`;
  return `[${json}]`;
}

export function numberToJson(value: number): string {
  return Number.isFinite(value) ? String(value) : "null";
}

/** ``, `.001` to `.999`: what follows the point of a number with three decimals. */
const THOUSANDTHS = Array.from({ length: 1_000 }, (_, count) => String(count / 1_000).slice(1));
/** Below this, every number of thousandths has a text of at most three decimals. */
const THOUSANDTHS_MAX = 1e12;

/** A number rounded to three decimals, as JSON. */
export function roundedToJson(value: number): string {
  const count = Math.round(value * 1_000);
  if (!(count >= 0 && count < THOUSANDTHS_MAX)) return numberToJson(count / 1_000);
  const whole = Math.floor(count / 1_000);
  return `${whole}${THOUSANDTHS[count - whole * 1_000] ?? ""}`;
}
