import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../resumable.ts";
import { type FindValues, findInLongText } from "./find-private-data.ts";
import type { TextFormat } from "./map-request-texts.ts";
import type { PrivateValue } from "./private-value.ts";

/** Unescaped text and the values in it. */
export interface SearchedPassage {
  readonly text: string;
  readonly found: readonly PrivateValue[];
}

/** A text split into passages that can be rewritten in place. */
export interface EditableText {
  readonly passages: readonly SearchedPassage[];
  /** Rewrites every passage, step by step. */
  rewrite(change: (searchedPassage: SearchedPassage) => Resumable<string>): Resumable<string>;
}

/** Parses a text. Invalid JSON is treated as plain text. */
export function* parseEditableText(
  findValues: FindValues,
  text: string,
  textFormat: TextFormat,
): Resumable<EditableText> {
  const leaves = textFormat === "json" ? yield* parseJsonLeaves(text) : undefined;
  if (leaves === undefined) {
    const passage = { text, found: yield* findInLongText(findValues, text) };
    return { passages: [passage], rewrite: (change) => change(passage) };
  }
  const passages = yield* findInJsonLeaves(findValues, text, leaves);
  return { passages, rewrite: (change) => replaceJsonLeaves(text, passages, change) };
}

const QUOTE_OR_BREAK = /["\n]/;
/** The number of leaves processed per step. */
const LEAVES_PER_STEP = 512;

interface SearchedLeaf extends JsonLeaf {
  /** Offsets refer to the unescaped text. */
  readonly found: readonly PrivateValue[];
}

const NO_VALUES: readonly PrivateValue[] = [];

/**
 * The values in every leaf of a JSON text. Leaves are searched in context, as the name of a field tells what its value
 * is. Leaves with a quote or a line break, which would end a value early, are also searched by themselves.
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

/**
 * The JSON without escapes. Quotes and line breaks inside strings are replaced by characters of the same length that
 * end no value.
 */
function* unescapedJson(json: string, leaves: readonly JsonLeaf[]): Resumable<{ text: string; starts: number[] }> {
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
 * Merges overlapping values into one, so that no part of a value stays. Inside a leaf its own quotes and line breaks
 * delimit a value best; at its start the name of the field does.
 */
function mergeLeafValues(together: readonly PrivateValue[], alone: readonly PrivateValue[]): readonly PrivateValue[] {
  let next = 0;
  const nonOverlapping = together.filter(({ start, end }) => {
    while ((alone[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    return start === 0 || (alone[next]?.start ?? end) >= end;
  });
  const apart: PrivateValue[] = [];
  for (const datum of [...nonOverlapping, ...alone].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1);
    if (last === undefined || datum.start >= last.end) apart.push(datum);
    else if (datum.end > last.end) apart[apart.length - 1] = { ...last, end: datum.end };
  }
  return apart;
}

/** A string, a number or a field name in JSON. */
interface JsonLeaf {
  /** The unescaped text without quotes. */
  readonly text: string;
  /** Offsets into the JSON including quotes, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** No private value is shorter, but most numbers and many words are. */
const LEAF_CHARACTERS_MIN = 4;
/** The number of leaves replaced per step. */
const REPLACED_LEAVES_PER_STEP = 64;
const JSON_NUMBER = /[-\d][\d.eE+-]*/y;

/** All strings, numbers and field names of a JSON text, in order; undefined if it is not JSON. */
export function* parseJsonLeaves(json: string): Resumable<readonly JsonLeaf[] | undefined> {
  if (!isJson(json)) return undefined;
  const leaves: JsonLeaf[] = [];
  let at = 0;
  let stopped = 0;
  while (at < json.length) {
    if (at - stopped >= RESUMABLE_MIN_CHARACTERS) {
      stopped = at;
      yield;
    }
    const end = json[at] === '"' ? endOfString(json, at) : endOfNumber(json, at);
    if (end !== undefined && end - at >= LEAF_CHARACTERS_MIN) {
      const written = json.slice(at, end);
      leaves.push({ text: String(json[at] === '"' ? JSON.parse(written) : written), start: at, end });
    }
    at = end ?? at + 1;
  }
  return leaves;
}

/** Replaces the text of leaves. Everything else stays byte for byte, as long numbers would lose digits in parsing. */
function* replaceJsonLeaves<Leaf extends JsonLeaf>(
  json: string,
  leaves: readonly Leaf[],
  change: (leaf: Leaf) => Resumable<string>,
): Resumable<string> {
  let result = "";
  let done = 0;
  for (const [index, leaf] of leaves.entries()) {
    if (index % REPLACED_LEAVES_PER_STEP === REPLACED_LEAVES_PER_STEP - 1) yield;
    const changed = yield* change(leaf);
    if (changed === leaf.text) continue;
    result += json.slice(done, leaf.start) + JSON.stringify(changed);
    done = leaf.end;
  }
  return result + json.slice(done);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfNumber(json: string, start: number): number | undefined {
  JSON_NUMBER.lastIndex = start;
  return JSON_NUMBER.test(json) ? JSON_NUMBER.lastIndex : undefined;
}
