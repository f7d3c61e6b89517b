import { bytesToText, type DecodedSpan, isPrintable } from "./scan-for-encodings.ts";

const SELECTOR_RUN = /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){4,}/g;
const ZERO_WIDTH_RUN = /[\u200b-\u200f\u2060-\u2064\ufeff\u00ad\u180e]{8,}/g;
const OVERRIDE = "\u202e";
const OVERRIDDEN = /\u202e([^\u202c\u202d\u202e\u2069\n]*)/g;

/** Without any of these characters nothing is hidden. */
const SUSPECT = /[\ufe00-\ufe0f\udb40\u00ad\u180e\u200b-\u200f\u202e\u2060-\u2064\ufeff]/;

/** Decodes text in invisible characters, or in an order that only the display shows. Reads the original text. */
export function findHiddenUnicode(original: string): DecodedSpan[] {
  if (!SUSPECT.test(original)) return [];
  return [...findVariationSelectors(original), ...findZeroWidthBits(original), ...findBidiOverrides(original)];
}

/** There are 256 variation selectors, one for each byte value. */
function findVariationSelectors(original: string): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const match of original.matchAll(SELECTOR_RUN)) {
    const bytes = Array.from(match[0], (point) => {
      const code = point.codePointAt(0) ?? 0;
      return code < 0xe0100 ? code - 0xfe00 : code - 0xe0100 + 16;
    });
    const text = bytesToText(Uint8Array.from(bytes));
    if (text !== undefined)
      found.push({
        start: match.index,
        end: match.index + match[0].length,
        text,
        undone: "variation-selectors",
      });
  }
  return found;
}

/** Two kinds of invisible characters are the bits; a third may separate the bytes. */
function findZeroWidthBits(original: string): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const match of original.matchAll(ZERO_WIDTH_RUN)) {
    const kinds = [...new Set(match[0])];
    if (kinds.length < 2 || kinds.length > 3) continue;
    const text = decodeZeroWidthBits(match[0], kinds);
    if (text !== undefined)
      found.push({ start: match.index, end: match.index + match[0].length, text, undone: "zero-width" });
  }
  return found;
}

function decodeZeroWidthBits(run: string, kinds: readonly string[]): string | undefined {
  for (const zero of kinds) {
    for (const one of kinds) {
      if (zero === one) continue;
      let bits = "";
      for (const kind of run) if (kind === zero || kind === one) bits += kind === zero ? "0" : "1";
      const bytes = new Uint8Array(Math.floor(bits.length / 8));
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2);
      const text = bytesToText(bytes);
      if (text !== undefined && isPrintable(text) && /[a-z]{2}/i.test(text)) return text;
    }
  }
  return undefined;
}

/** Text after an override is displayed from right to left. */
function findBidiOverrides(original: string): DecodedSpan[] {
  if (!original.includes(OVERRIDE)) return [];
  return Array.from(original.matchAll(OVERRIDDEN), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: Array.from(match[1] ?? "")
      .reverse()
      .join(""),
    undone: "bidi-controls",
  }));
}
