/** The same index, or the one before if a cut there would split a surrogate pair. */
export function surrogateSafeEnd(text: string, place: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1)) ? place - 1 : place;
}

/** The first characters of a long text, without half a surrogate pair at the end. */
export function surrogateSafeSlice(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, surrogateSafeEnd(text, length));
}
