import { parseStrictJson } from "@trunkline/core/strict-json.ts";

/** Well below the depth that `parseStrictJson` refuses. Real bodies are hardly deeper than a schema in a tool. */
const DEPTH_MAX = 48;

/**
 * Parses a body as `parseStrictJson` does. A body that repeats no key and is not deep needs no list of the keys of each
 * object: it has as many keys in its text as in what `JSON.parse` makes of it.
 */
export function parseJsonBody(text: string): unknown {
  const keys = countKeysOfText(text);
  if (keys === undefined) return parseStrictJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return parseStrictJson(text);
  }
  return countKeys(value) === keys ? value : parseStrictJson(text);
}

/** The colons outside of strings; undefined for a deep text or one whose last string does not end. */
function countKeysOfText(text: string): number | undefined {
  let keys = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 0x22: {
        index = text.indexOf('"', index + 1);
        while (index !== -1 && isEscaped(text, index)) index = text.indexOf('"', index + 1);
        if (index === -1) return undefined;
        break;
      }
      case 0x3a:
        keys++;
        break;
      case 0x7b:
      case 0x5b:
        if (++depth > DEPTH_MAX) return undefined;
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
    }
  }
  return keys;
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text.charCodeAt(start - 1) === 0x5c) start--;
  return (index - start) % 2 === 1;
}

/** The keys of a value and of all values in it. */
function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") keys += countKeys(item);
    return keys;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    keys++;
    const field = fields[name];
    if (typeof field === "object") keys += countKeys(field);
  }
  return keys;
}
