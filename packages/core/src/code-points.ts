/** The same offset, or one less where a cut there would split a surrogate pair. */
export function codePointBoundary(text: string, place: number): number {
  return isHighSurrogate(text.charCodeAt(place - 1)) && isLowSurrogate(text.charCodeAt(place)) ? place - 1 : place;
}

/** At most the first `length` UTF-16 units of a text, never ending in half of a surrogate pair. */
export function truncateText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, codePointBoundary(text, length));
}

/** Replaces each lone surrogate by U+FFFD. */
export function replaceLoneSurrogates(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** The number of code points: a surrogate pair counts once. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if (isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at))) count--;
  }
  return count;
}
