import type { JsonObject } from "@trunkline/core/json-object.ts";

/** Streams that never repeat are not compared for ever. */
const TRIES_MAX = 8;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const ASCII_MAX = 127;

type Key = string;

interface Pattern {
  readonly before: Buffer;
  /** The quote that ends the text, and what comes after it. */
  readonly after: Buffer;
  readonly object: JsonObject;
  /** The way from the object to the text. */
  readonly path: readonly Key[];
}

/**
 * Reads the objects of a stream that differ from each other in one text alone, as the deltas of an answer do: such an object
 * is copied from the one before with its own text, which is several times quicker than to decode and parse it.
 */
export class RepeatedObject {
  #last: { readonly json: string; readonly object: JsonObject } | undefined;
  #pattern: Pattern | undefined;
  #tries = 0;
  #end = 0;

  /** Where the object that was read last ends. */
  get end(): number {
    return this.#end;
  }

  /** The text of the object that begins here and fills its line; undefined where the object has to be parsed. */
  readText(bytes: Buffer, start: number): string | undefined {
    const pattern = this.#pattern;
    if (pattern === undefined) return undefined;
    const { before, after } = pattern;
    const textStart = start + before.length;
    if (!holds(bytes, start, before)) return undefined;
    let at = textStart;
    let isPlain = true;
    let isAscii = true;
    for (let byte = bytes[at] ?? 0; byte !== QUOTE; byte = bytes[++at] ?? 0) {
      // A control character, or the end of what has come.
      if (byte < SPACE) return undefined;
      if (byte > ASCII_MAX) isAscii = false;
      if (byte !== BACKSLASH) continue;
      isPlain = false;
      at++;
    }
    const end = at + after.length;
    if (!holds(bytes, at, after) || (bytes[end] !== LF && (bytes[end] !== CR || bytes[end + 1] !== LF)))
      return undefined;
    let text = bytes.toString(isAscii ? "latin1" : "utf8", isPlain ? textStart : textStart - 1, isPlain ? at : at + 1);
    try {
      if (!isPlain) text = JSON.parse(text) as string;
    } catch {
      return undefined;
    }
    this.#end = end;
    return text;
  }

  /** The object with this text. */
  objectWith(text: string): JsonObject | undefined {
    const pattern = this.#pattern;
    return pattern === undefined ? undefined : (withText(pattern.object, pattern.path, 0, text) as JsonObject);
  }

  /** Compares an object that was parsed with the one before it. */
  learn(json: string, object: JsonObject): void {
    if (this.#tries >= TRIES_MAX) return;
    const last = this.#last;
    this.#last = { json, object };
    if (last === undefined) return;
    this.#tries++;
    this.#pattern = patternOf(last.json, last.object, json, object) ?? this.#pattern;
    if (this.#tries === TRIES_MAX) this.#last = undefined;
  }
}

function holds(bytes: Buffer, start: number, wanted: Buffer): boolean {
  for (let at = 0; at < wanted.length; at++) if (bytes[start + at] !== wanted[at]) return false;
  return true;
}

/**
 * What two objects share, if they differ in one text alone, which is what their JSON has between two quotes at the same
 * place. As the JSON before it is the same, these quotes are then the text's own in any third object, too.
 */
function patternOf(oneJson: string, one: JsonObject, json: string, object: JsonObject): Pattern | undefined {
  let same = 0;
  while (same < json.length && oneJson.charCodeAt(same) === json.charCodeAt(same)) same++;
  // Up to the quote before the difference, which may be in the middle of a text.
  const start = json.lastIndexOf('"', same - 1) + 1;
  const end = json.indexOf('"', same);
  if (start === 0 || end < start) return undefined;
  const after = json.slice(end);
  const oneEnd = oneJson.length - after.length;
  if (oneEnd < start || !oneJson.endsWith(after)) return undefined;
  const [path, another] = differencesOf(one, object);
  if (path === undefined || another !== undefined || path.includes("__proto__")) return undefined;
  if (valueAt(one, path) !== oneJson.slice(start, oneEnd) || valueAt(object, path) !== json.slice(start, end))
    return undefined;
  return { before: Buffer.from(json.slice(0, start)), after: Buffer.from(after), object, path };
}

/** The ways to the places where two values differ; at most two of them. */
function differencesOf(one: unknown, other: unknown): readonly (readonly Key[])[] {
  const found: Key[][] = [];
  const path: Key[] = [];
  const compare = (mine: unknown, its: unknown): void => {
    if (mine === its || found.length > 1) return;
    const keys =
      isTree(mine) && isTree(its) && Array.isArray(mine) === Array.isArray(its) ? Object.keys(mine) : undefined;
    if (keys?.length !== Object.keys(its ?? {}).length) {
      found.push([...path]);
      return;
    }
    for (const key of keys) {
      path.push(key);
      compare((mine as JsonObject)[key], (its as JsonObject)[key]);
      path.pop();
    }
  };
  compare(one, other);
  return found;
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function valueAt(value: unknown, path: readonly Key[]): unknown {
  let at = value;
  for (const key of path) at = (at as JsonObject)[key];
  return at;
}

/** A copy of what is on the way to the text, with another text. */
function withText(value: unknown, path: readonly Key[], depth: number, text: string): unknown {
  const key = path[depth];
  if (key === undefined) return text;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<Key, unknown>;
  copy[key] = withText(copy[key], path, depth + 1, text);
  return copy;
}
