const SHOWN_MAX = 120;

/**
 * Where something within a value is. What would not be shown is left out from the start: a path is made for every value
 * that is visited, and names are as long as strangers make them.
 */
export function childPath(at: string, name: string | number): string {
  if (at.length > SHOWN_MAX) return at;
  return `${at}/${typeof name === "string" ? name.slice(0, SHOWN_MAX + 1) : name}`;
}

/** A place in words. */
export function describePath(at: string): string {
  return at === "" ? "it" : `"${shorten(at)}"`;
}

/** A name in words. */
export function describeName(name: unknown): string {
  return JSON.stringify(shorten(String(name)));
}

function shorten(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
