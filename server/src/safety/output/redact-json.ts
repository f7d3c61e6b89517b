import { isJson } from "../private/json-leaves.ts";
import { markOf, redactOut, type Uttered } from "../private/redact-out.ts";
import { STEP_CHARACTERS, type Steps } from "../turns.ts";

interface Terms {
  /** The values in a text that are to be taken out, in order, found step by step. */
  readonly valuesIn: (text: string) => Steps<readonly Uttered[]>;
  /** Whether one stays all the same. */
  readonly stays: (value: string) => boolean;
}

interface Redacted {
  readonly text: string;
  /** What was taken out. */
  readonly kinds: readonly string[];
}

/** A string with its quotes, or a number. The text is known to be JSON. */
const LITERAL = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * A text of JSON's without the values in its strings and numbers. It stays JSON, and all else in it as it was written;
 * undefined: it is none.
 */
export function* redactJson(json: string, { valuesIn, stays }: Terms): Steps<Redacted | undefined> {
  if (!isJson(json)) return undefined;
  // As it is written, names of fields tell what their values are.
  const written = yield* valuesIn(json);
  if (written.length === 0 && !json.includes("\\")) return { text: json, kinds: [] };
  const kinds: string[] = [];
  let text = "";
  let done = 0;
  let next = 0;
  let read = 0;
  for (const { 0: literal, index: start } of json.matchAll(LITERAL)) {
    const end = start + literal.length;
    if (end - read >= STEP_CHARACTERS) {
      read = end;
      yield;
    }
    while ((written[next]?.end ?? end) <= start) next += 1;
    const touching: Uttered[] = [];
    for (let at = next; (written[at]?.start ?? end) < end; at += 1) {
      const { kind, start: from, end: to } = written[at] ?? { kind: "", start: end, end };
      touching.push({ kind, start: Math.max(from, start) - start, end: Math.min(to, end) - start });
    }
    const found = literal.startsWith('"')
      ? yield* valuesInString(literal, touching, { valuesIn, stays })
      : touching.filter((value) => !stays(literal.slice(value.start, value.end))).slice(0, 1);
    const [first] = found;
    if (first === undefined) continue;
    for (const { kind } of found) kinds.push(kind);
    text += json.slice(done, start);
    text += literal.startsWith('"') ? redactOut(literal, found) : `"${markOf(first.kind)}"`;
    done = end;
  }
  return { text: text + json.slice(done), kinds };
}

/** A text that was to be JSON, and is none. */
export function* redactPlain(text: string, { valuesIn, stays }: Terms): Steps<Redacted> {
  const found = (yield* valuesIn(text)).filter(({ start, end }) => !stays(text.slice(start, end)));
  return { text: redactOut(text, found), kinds: found.map(({ kind }) => kind) };
}

/** The values in a string, where they are written: in order, apart, and never within an escape. */
function* valuesInString(
  literal: string,
  written: readonly Uttered[],
  { valuesIn, stays }: Terms,
): Steps<Uttered[]> {
  const isEscaped = literal.includes("\\");
  if (written.length === 0 && !isEscaped) return [];
  const read = String(JSON.parse(literal));
  const places = placesIn(literal);
  const readAt = (place: number) => (isEscaped ? firstFrom(places, place) : Math.max(0, place - 1));
  const found = written.map(({ kind, start, end }) => ({
    kind,
    start: readAt(start),
    end: Math.min(readAt(end), read.length),
  }));
  if (isEscaped) for (const value of yield* valuesIn(read)) found.push(value);
  const apart: { kind: string; start: number; end: number }[] = [];
  for (const { kind, start, end } of found.sort((one, other) => one.start - other.start)) {
    if (start >= end || stays(read.slice(start, end))) continue;
    const last = apart.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else apart.push({ kind, start, end });
  }
  return apart.map(({ kind, start, end }) => ({ kind, start: places[start] ?? 0, end: places[end] ?? 0 }));
}

/** Where each character of a string is written, and where its last one ends. */
function placesIn(literal: string): number[] {
  const places: number[] = [];
  let at = 1;
  while (at < literal.length - 1) {
    places.push(at);
    at += literal[at] !== "\\" ? 1 : literal[at + 1] === "u" ? 6 : 2;
  }
  places.push(at);
  return places;
}

/** Which is the first that is written there or later. */
function firstFrom(places: readonly number[], place: number): number {
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
