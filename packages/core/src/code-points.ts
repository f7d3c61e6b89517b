/** The same place, or one further back where a cut there would split a character in two. */
export function codePointBoundary(text: string, place: number): number {
  return isHighSurrogate(text.charCodeAt(place - 1)) && isLowSurrogate(text.charCodeAt(place)) ? place - 1 : place;
}

/** The beginning of a text, so long at the most, with no half of a character at its end. */
export function truncateText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, codePointBoundary(text, length));
}

/** A text in which halves of characters that have lost their other half are marked as unreadable. */
export function replaceLoneSurrogates(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** How many characters a text has: some are two units. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if (isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))) count--;
  }
  return count;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
