import type { PrivateValue } from "./candidates/private-value.ts";
import { type FindValues, LongTextSearch } from "./find-private-data.ts";
import type { TextFormat } from "./map-request-texts.ts";

/** Unescaped text and the values in it. */
export interface SearchedPassage {
  readonly text: string;
  readonly found: readonly PrivateValue[];
}

const QUOTE_OR_BREAK = /["\n]/;
/** How many leaves, and how many characters of leaves searched by themselves, are processed at once. */
const LEAVES_AT_ONCE = 512;
const LEAF_CHARACTERS_AT_ONCE = 4_096;

const NO_VALUES: readonly PrivateValue[] = [];

/**
 * A text whose values are found piece by piece and whose passages can then be rewritten in place. The passages of JSON
 * are its leaves; invalid JSON is one passage of plain text.
 *
 * Leaves are searched in context, as the name of a field tells what its value is. Leaves with a quote or a line break,
 * which would end a value early, are also searched by themselves.
 */
export class EditableText {
  readonly #findValues: FindValues;
  readonly #source: string;
  readonly #leaves: readonly JsonLeaf[] | undefined;
  /** Where each leaf begins in the text that is searched. */
  readonly #starts: readonly number[];
  readonly #search: LongTextSearch;
  #isSearchedTogether = false;
  #leafSearch: LongTextSearch | undefined;
  /** The first value that does not end before the next leaf. */
  #firstValue = 0;
  readonly #passages: SearchedPassage[] = [];

  constructor(findValues: FindValues, text: string, textFormat: TextFormat) {
    this.#findValues = findValues;
    this.#source = text;
    this.#leaves = textFormat === "json" ? parseJsonLeaves(text) : undefined;
    const searched = this.#leaves === undefined ? { text, starts: [] } : unescapedJson(text, this.#leaves);
    this.#starts = searched.starts;
    this.#search = new LongTextSearch(findValues, searched.text);
  }

  /** Complete once `next` returned false. */
  get passages(): readonly SearchedPassage[] {
    return this.#passages;
  }

  /** Searches the next piece; returns whether there is more to search. */
  next(): boolean {
    if (!this.#isSearchedTogether) {
      if (this.#search.next()) return true;
      this.#isSearchedTogether = true;
      if (this.#leaves !== undefined) return this.#leaves.length > 0;
      this.#passages.push({ text: this.#source, found: this.#search.found });
      return false;
    }
    let searchedCharacters = 0;
    for (let leaves = 0; leaves < LEAVES_AT_ONCE && searchedCharacters < LEAF_CHARACTERS_AT_ONCE; leaves += 1) {
      const leaf = this.#leaves?.[this.#passages.length];
      if (leaf === undefined) return false;
      if (!QUOTE_OR_BREAK.test(leaf.text)) {
        this.#addLeaf(leaf, NO_VALUES);
        continue;
      }
      this.#leafSearch ??= new LongTextSearch(this.#findValues, leaf.text);
      if (this.#leafSearch.next()) return true;
      this.#addLeaf(leaf, this.#leafSearch.found);
      this.#leafSearch = undefined;
      searchedCharacters += leaf.text.length;
    }
    return true;
  }

  /** Adds the leaf with the values found in context and `alone`. */
  #addLeaf({ text }: JsonLeaf, alone: readonly PrivateValue[]): void {
    const together = this.#search.found;
    const start = this.#starts[this.#passages.length] ?? 0;
    const end = start + text.length;
    while ((together[this.#firstValue]?.end ?? Number.POSITIVE_INFINITY) <= start) this.#firstValue += 1;
    const here: PrivateValue[] = [];
    for (let at = this.#firstValue; (together[at]?.start ?? end) < end; at += 1) {
      const datum = together[at];
      if (datum !== undefined)
        here.push({ ...datum, start: Math.max(datum.start, start) - start, end: Math.min(datum.end, end) - start });
    }
    const found = here.length + alone.length === 0 ? NO_VALUES : mergeLeafValues(here, alone);
    this.#passages.push({ text, found });
  }

  /**
   * The text with the given texts in place of its passages. In JSON everything else stays byte for byte, as long numbers
   * would lose digits in parsing.
   */
  rewrite(texts: readonly string[]): string {
    if (this.#leaves === undefined) return texts[0] ?? this.#source;
    let result = "";
    let done = 0;
    for (const [index, { text, start, end }] of this.#leaves.entries()) {
      const changed = texts[index] ?? text;
      if (changed === text) continue;
      result += this.#source.slice(done, start) + JSON.stringify(changed);
      done = end;
    }
    return result + this.#source.slice(done);
  }
}

/**
 * The JSON without escapes. Quotes and line breaks inside strings are replaced by characters of the same length that
 * end no value.
 */
function unescapedJson(json: string, leaves: readonly JsonLeaf[]): { text: string; starts: number[] } {
  const pieces: string[] = [];
  const starts: number[] = [];
  let length = 0;
  let done = 0;
  const add = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  for (const { text, start, end } of leaves) {
    const quote = json[start] === '"' ? 1 : 0;
    add(json.slice(done, start + quote));
    starts.push(length);
    add(QUOTE_OR_BREAK.test(text) ? text.replaceAll('"', "\u201d").replaceAll("\n", "\u2028") : text);
    done = end - quote;
  }
  add(json.slice(done));
  return { text: pieces.join(""), starts };
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
const JSON_NUMBER = /[-\d][\d.eE+-]*/y;

/** All strings, numbers and field names of a JSON text, in order; undefined if it is not JSON. */
export function parseJsonLeaves(json: string): readonly JsonLeaf[] | undefined {
  try {
    JSON.parse(json);
  } catch {
    return undefined;
  }
  const leaves: JsonLeaf[] = [];
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at);
    const isString = code === 34;
    const end = isString ? endOfString(json, at) : isNumberStart(code) ? endOfNumber(json, at) : at + 1;
    if (end - at >= LEAF_CHARACTERS_MIN) {
      const written = json.slice(at, end);
      leaves.push({ text: isString ? String(JSON.parse(written)) : written, start: at, end });
    }
    at = end;
  }
  return leaves;
}

/** A minus sign or a digit. */
function isNumberStart(code: number): boolean {
  return code === 45 || (code >= 48 && code <= 57);
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (let code = json.charCodeAt(at); code !== 34; code = json.charCodeAt(at)) at += code === 92 ? 2 : 1;
  return at + 1;
}

function endOfNumber(json: string, start: number): number {
  JSON_NUMBER.lastIndex = start;
  return JSON_NUMBER.test(json) ? JSON_NUMBER.lastIndex : start + 1;
}
