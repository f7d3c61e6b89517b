import type { Resumable } from "../resumable.ts";
import { type FindValues, findInLongText } from "./find-long.ts";
import type { JsonLeaf } from "./json-leaves.ts";
import type { PrivateValue } from "./private-value.ts";

const QUOTE_OR_BREAK = /["\n]/;
/** So many leaves are gone through in one go. */
const LEAVES_PER_STEP = 512;

interface SearchedLeaf extends JsonLeaf {
  /** By offsets into what it says. */
  readonly found: readonly PrivateValue[];
}

const NO_VALUES: readonly PrivateValue[] = [];

/**
 * Every leaf of a JSON text with the values in it. Leaves are read where they stand, as the name of a field tells what its
 * value is. Those that a quote or a line break would cut short are read on their own, too.
 */
export function* findInJsonLeaves(
  findValues: FindValues,
  json: string,
  leaves: readonly JsonLeaf[],
): Resumable<readonly SearchedLeaf[]> {
  const { text, starts } = yield* unescapedJson(json, leaves);
  const together = yield* findInLongText(findValues, text);
  const foundLeaves: SearchedLeaf[] = [];
  let first = 0;
  for (const [index, leaf] of leaves.entries()) {
    if (index % LEAVES_PER_STEP === LEAVES_PER_STEP - 1) yield;
    const start = starts[index] ?? 0;
    const end = start + leaf.text.length;
    while ((together[first]?.end ?? Number.POSITIVE_INFINITY) <= start) first += 1;
    const here: PrivateValue[] = [];
    for (let at = first; (together[at]?.start ?? end) < end; at += 1) {
      const datum = together[at];
      if (datum !== undefined) here.push(clipToLeaf(datum, start, end));
    }
    const alone = QUOTE_OR_BREAK.test(leaf.text) ? yield* findInLongText(findValues, leaf.text) : [];
    const found = here.length + alone.length === 0 ? NO_VALUES : mergeLeafValues(here, alone);
    foundLeaves.push({ text: leaf.text, start: leaf.start, end: leaf.end, found });
  }
  return foundLeaves;
}

/** The JSON without its escapes. Quotes and breaks within a string give way to others that end no value, of the same length. */
function* unescapedJson(
  json: string,
  leaves: readonly JsonLeaf[],
): Resumable<{ text: string; starts: number[] }> {
  const pieces: string[] = [];
  const starts: number[] = [];
  let length = 0;
  let done = 0;
  const add = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const [index, { text, start, end }] of leaves.entries()) {
    if (index % LEAVES_PER_STEP === LEAVES_PER_STEP - 1) yield;
    const quote = json[start] === '"' ? 1 : 0;
    add(json.slice(done, start + quote));
    starts.push(length);
    add(QUOTE_OR_BREAK.test(text) ? text.replaceAll('"', "\u201d").replaceAll("\n", "\u2028") : text);
    done = end - quote;
  }
  add(json.slice(done));
  return { text: pieces.join(""), starts };
}

function clipToLeaf(datum: PrivateValue, start: number, end: number): PrivateValue {
  return { ...datum, start: Math.max(datum.start, start) - start, end: Math.min(datum.end, end) - start };
}

/**
 * What overlaps is one value, so that no part of it stays. Inside a leaf its own quotes and breaks tell best where a value
 * begins; at its very start the name of the field does.
 */
function mergeLeafValues(
  together: readonly PrivateValue[],
  alone: readonly PrivateValue[],
): readonly PrivateValue[] {
  let next = 0;
  const kept = together.filter(({ start, end }) => {
    while ((alone[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    return start === 0 || (alone[next]?.start ?? end) >= end;
  });
  const apart: PrivateValue[] = [];
  for (const datum of [...kept, ...alone].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1);
    if (last === undefined || datum.start >= last.end) apart.push(datum);
    else if (datum.end > last.end) apart[apart.length - 1] = { ...last, end: datum.end };
  }
  return apart;
}
