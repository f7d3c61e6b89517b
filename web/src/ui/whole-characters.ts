/** The same place, or one further back where a cut there would split a character in two. */
export function wholeBefore(text: string, place: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1)) ? place - 1 : place;
}

/** The beginning of a text that is too long to be shown, with no half of a character at its end. */
export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, wholeBefore(text, length));
}
