/** A pattern over normalised text. A dot in it also reads line breaks: a wrapped sentence says the same. */
export function buildPattern(...pieces: readonly string[]): RegExp {
  return new RegExp(pieces.join(""), "gs");
}

/** One of several, each itself a pattern or several with bars between them. */
export function anyOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/** Literal pieces of text, written as one list with commas. */
export function splitList(commaSeparated: string): readonly string[] {
  return commaSeparated.split(", ");
}

/** What stands directly before something. */
export function patternEndingIn(...pieces: readonly string[]): RegExp {
  return new RegExp(`${anyOf(...pieces)}$`, "s");
}
