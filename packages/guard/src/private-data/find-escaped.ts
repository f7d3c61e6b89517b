import { type Resumable, runToEnd } from "../resumable.ts";
import type { FindValues } from "./find-long.ts";
import { findPrivateData, findPrivateDataResumable } from "./private-data.ts";
import type { PrivateValue } from "./private-value.ts";

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
/** What stands within a string and would end one, or a value, gives way to something of the same length that does not. */
const ESCAPE_REPLACEMENTS: Readonly<Record<string, string>> = {
  '"': "\u201d",
  "\n": "\u2028",
  b: " ",
  f: " ",
  n: "\u2028",
  r: "\u2028",
  t: " ",
};

/** The values in a text, be they written as they are or as in JSON: both readings count, and what overlaps is one value. */
export function findPrivateDataWithEscapes(text: string): readonly PrivateValue[] {
  return text.includes("\\")
    ? runToEnd(findWithEscapesResumable(findPrivateDataResumable, text))
    : findPrivateData(text);
}

/** The same by any way of finding, step by step. */
export function* findWithEscapesResumable(
  findValues: FindValues,
  text: string,
): Resumable<readonly PrivateValue[]> {
  const written = yield* findValues(text);
  if (!text.includes("\\")) return written;
  const { read, places } = unescapeWithOffsets(text);
  if (read.length === text.length) return written;
  const found = (yield* findValues(read)).map((datum) => ({
    ...datum,
    start: places[datum.start] ?? 0,
    end: places[datum.end] ?? text.length,
  }));
  return mergeOverlapping([...written, ...found]);
}

/** A text as it is read, and where each of its characters is written. */
function unescapeWithOffsets(text: string) {
  const places: number[] = [];
  let read = "";
  let done = 0;
  const add = (piece: string, from: number) => {
    for (let at = 0; at < piece.length; at += 1) places.push(from + at);
    read += piece;
  };
  for (const { 0: escaped, 1: hex, 2: sign = "", index } of text.matchAll(ESCAPE)) {
    add(text.slice(done, index), done);
    const character = hex === undefined ? sign : String.fromCharCode(Number.parseInt(hex, 16));
    places.push(index);
    read +=
      hex === undefined || character === '"' || character === "\n"
        ? (ESCAPE_REPLACEMENTS[character] ?? character)
        : character;
    done = index + escaped.length;
  }
  add(text.slice(done), done);
  places.push(text.length);
  return { read, places };
}

function mergeOverlapping(found: readonly PrivateValue[]): readonly PrivateValue[] {
  const apart: PrivateValue[] = [];
  for (const datum of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = apart.at(-1);
    if (last === undefined || datum.start >= last.end) apart.push(datum);
    else {
      const surer = datum.weight > last.weight ? datum : last;
      apart[apart.length - 1] = { ...surer, start: last.start, end: Math.max(last.end, datum.end) };
    }
  }
  return apart;
}
