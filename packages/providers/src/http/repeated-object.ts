import type { JsonObject } from "@trunkline/core/json-object.ts";

/** Streams that never repeat are not compared for ever. */
const TRIES_MAX = 8;
/** What stands for the text while a pattern is tried. No provider sends it. */
const MARK = "\u2400trunkline\u2400";
const QUOTE = 34;
const BACKSLASH = 92;

type Key = string | number;

interface Pattern {
  readonly before: string;
  readonly after: string;
  readonly object: JsonObject;
  /** The way from the object to the text. */
  readonly path: readonly Key[];
}

/**
 * Reads the objects of a stream that differ from each other in one text alone, as the deltas of an answer do: such an object
 * is copied from the one before with its own text, which is several times quicker than to parse it.
 */
export class RepeatedObject {
  #last: string | undefined;
  #pattern: Pattern | undefined;
  #tries = 0;

  /** The object that the JSON means; undefined where it has to be parsed. */
  read(json: string): JsonObject | undefined {
    const pattern = this.#pattern;
    if (pattern === undefined) return undefined;
    const { before, after, object, path } = pattern;
    const end = json.length - after.length;
    if (end < before.length || !json.startsWith(before) || !json.endsWith(after)) return undefined;
    for (let at = before.length; at < end; at++) {
      const code = json.charCodeAt(at);
      if (code === QUOTE || code === BACKSLASH || code < 32) return undefined;
    }
    return withText(object, path, 0, textBetween(json, before.length, end)) as JsonObject;
  }

  /** Compares JSON that was parsed with the one before it. */
  learn(json: string): void {
    const last = this.#last;
    if (this.#tries >= TRIES_MAX) return;
    this.#last = json;
    if (last === undefined) return;
    this.#tries++;
    this.#pattern = patternOf(last, json) ?? this.#pattern;
    if (this.#tries === TRIES_MAX) this.#last = undefined;
  }
}

/** V8 keeps a longer part of a text as a reference, and with it the whole text. */
const COPIED_LENGTH_MAX = 12;

/** A part of a JSON text that has no escapes, as a text of its own. */
function textBetween(json: string, start: number, end: number): string {
  return end - start > COPIED_LENGTH_MAX
    ? (JSON.parse(json.slice(start - 1, end + 1)) as string)
    : json.slice(start, end);
}

function patternOf(one: string, other: string): Pattern | undefined {
  let same = 0;
  while (same < one.length && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  // Up to the quote before the difference, which may be in the middle of a text.
  const start = other.lastIndexOf('"', same - 1) + 1;
  const end = other.indexOf('"', same);
  if (start === 0 || end < start) return undefined;
  const [before, after] = [other.slice(0, start), other.slice(end)];
  try {
    // Whether the two quotes are those of a text, and which one, shows when another text is put between them.
    const object = JSON.parse(before + MARK + after) as JsonObject;
    const path = pathTo(MARK, object);
    return path === undefined || path.includes("__proto__") ? undefined : { before, after, object, path };
  } catch {
    return undefined;
  }
}

/** The way to the only place of a text, which is no key. */
function pathTo(text: string, value: unknown): readonly Key[] | undefined {
  if (value === text) return [];
  if (typeof value !== "object" || value === null) return undefined;
  const keys: readonly Key[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const key of keys) {
    const path = pathTo(text, (value as Record<Key, unknown>)[key]);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/** A copy of what is on the way to the text, with another text. */
function withText(value: unknown, path: readonly Key[], depth: number, text: string): unknown {
  const key = path[depth];
  if (key === undefined) return text;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<Key, unknown>;
  copy[key] = withText(copy[key], path, depth + 1, text);
  return copy;
}
