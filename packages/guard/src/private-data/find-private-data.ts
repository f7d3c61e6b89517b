import { categoryOf, type PrivateValue, type ReportValue } from "./candidates/private-value.ts";
import { scanText } from "./candidates/scan-text.ts";
import { findEmails, findMaskedEmails, findNetworkAddresses, findSpokenEmails } from "./personal/addresses.ts";
import { findNumbers } from "./personal/numbers.ts";
import { findWallets } from "./personal/wallets.ts";
import { findApiKeys } from "./secrets/api-keys.ts";
import { findAssignedSecrets, findSpokenPasswords, findUrlPasswords, SECRET_NAME_HINT } from "./secrets/credentials.ts";
import { findPrivateKeys, hasKeyHeader } from "./secrets/private-keys.ts";

/**
 * Finds keys, passwords and personal data in a text, in order and without overlaps. Reads the original text, as upper
 * and lower case matter. One scan finds the few candidates; the work is linear in the text.
 */
export function findPrivateData(text: string): readonly PrivateValue[] {
  const candidates = scanText(text);
  if (candidates === undefined && !hasKeyHeader(text)) return NO_VALUES;
  const found: PrivateValue[] = [];
  const reportValue: ReportValue = (kind, weight, start, end) => {
    found.push({ category: categoryOf(kind), kind, weight, start, end });
  };
  // If two finders find the same value, the first wins.
  findPrivateKeys(text, reportValue);
  if (candidates === undefined) return withoutOverlaps(found);
  const { longWords, atSigns, assignments, passwordWords, atBrackets, spokenDots, numbers } = candidates;
  if (longWords.length > 0) {
    findApiKeys(text, longWords, reportValue);
    findWallets(text, longWords, reportValue);
  }
  if (atSigns.length > 0) {
    findUrlPasswords(text, atSigns, reportValue);
    findEmails(text, atSigns, reportValue);
  }
  if (assignments.length > 0) {
    findAssignedSecrets(text, assignments, reportValue);
    findNetworkAddresses(text, assignments, reportValue);
  }
  if (passwordWords.length > 0) findSpokenPasswords(text, passwordWords, reportValue);
  if (atBrackets.length > 0) findMaskedEmails(text, atBrackets, reportValue);
  if (spokenDots.length > 0) findSpokenEmails(text, spokenDots, reportValue);
  if (numbers.length > 0) findNumbers(text, numbers, reportValue);
  return withoutOverlaps(found);
}

const NO_VALUES: readonly PrivateValue[] = [];
/** The maximum distance of the first and the third colon of a network address. */
const COLONS_REACH = 10;

/** Whether a value may be found in a text without escapes, or in any part of it. */
export function mayHoldPrivateData(text: string): boolean {
  if (hasKeyHeader(text)) return true;
  const candidates = scanText(text);
  if (candidates === undefined) return false;
  const { longWords, atSigns, assignments, passwordWords, atBrackets, spokenDots, numbers } = candidates;
  if (
    longWords.length > 0 ||
    atSigns.length > 0 ||
    passwordWords.length > 0 ||
    atBrackets.length > 0 ||
    spokenDots.length > 0 ||
    numbers.length > 0
  )
    return true;
  for (let at = 2; at < assignments.length; at += 1)
    if ((assignments[at] ?? 0) - (assignments[at - 2] ?? 0) <= COLONS_REACH) return true;
  return SECRET_NAME_HINT.test(text);
}

/** Of overlapping values the most confident stays, and of equals the longest. */
function withoutOverlaps(found: PrivateValue[]): PrivateValue[] {
  if (found.length < 2) return found;
  const inOrder = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const apart: PrivateValue[] = [];
  for (const datum of inOrder) {
    const last = apart.at(-1);
    if (last === undefined || datum.start >= last.end) apart.push(datum);
    else if (isMoreConfident(datum, last)) apart[apart.length - 1] = datum;
  }
  return apart;
}

function isMoreConfident(one: PrivateValue, other: PrivateValue): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.end - one.start > other.end - other.start;
}

/** Finds the values in a text that is searched at once. */
export type FindValues = (text: string) => readonly PrivateValue[];

/** The length of a piece that is searched at once. */
const PIECE_CHARACTERS = 16_384;
/** How much of a piece the next one repeats, for the labels in front of values. */
const OVERLAP_CHARACTERS = 512;

/** Finds the values in a text of any length, piece by piece. */
export class LongTextSearch {
  readonly #findValues: FindValues;
  readonly #text: string;
  readonly #found: PrivateValue[] = [];
  #start = 0;
  /** Up to where the values are known. */
  #known = 0;
  #size = PIECE_CHARACTERS;

  constructor(findValues: FindValues, text: string) {
    this.#findValues = findValues;
    this.#text = text;
  }

  /** The values found so far, in order. */
  get found(): readonly PrivateValue[] {
    return this.#found;
  }

  /** Searches the next piece; returns whether there is more to search. */
  next(): boolean {
    const text = this.#text;
    const start = this.#start;
    if (text.length <= PIECE_CHARACTERS) {
      this.#found.push(...this.#findValues(text));
      return false;
    }
    const end = Math.min(text.length, start + this.#size);
    const isLast = end === text.length;
    const here = this.#findValues(text.slice(start, end)).map((datum) => ({
      ...datum,
      start: datum.start + start,
      end: datum.end + start,
    }));
    // Values near the cut are left to the next piece, which contains them completely.
    const cut = isLast ? end : end - OVERLAP_CHARACTERS;
    const open = here.find((datum) => datum.end > cut && datum.start >= this.#known);
    const until = isLast ? end : Math.min(cut, open?.start ?? cut);
    const next = until - OVERLAP_CHARACTERS;
    if (!isLast && next <= start) {
      // The value is as long as the piece. The piece grows until it contains the whole value, so that no part of it
      // leaks.
      this.#size *= 2;
      return true;
    }
    this.#found.push(...here.filter((datum) => datum.start >= this.#known && datum.start < until));
    this.#known = Math.max(until, this.#found.at(-1)?.end ?? 0);
    this.#start = next;
    this.#size = PIECE_CHARACTERS;
    return !isLast;
  }
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
/** Replacements, of the same length, for characters inside a string that would end a string or a value. */
const ESCAPE_REPLACEMENTS: Readonly<Record<string, string>> = {
  '"': "\u201d",
  "\n": "\u2028",
  b: " ",
  f: " ",
  n: "\u2028",
  r: "\u2028",
  t: " ",
};

/** Finds values written plainly or with JSON escapes. Both forms are searched, and overlapping values are merged. */
export function findWithEscapes(findValues: FindValues, text: string): readonly PrivateValue[] {
  const written = findValues(text);
  if (!text.includes("\\")) return written;
  const { read, places } = unescapeWithOffsets(text);
  if (read.length === text.length) return written;
  const found = findValues(read).map((datum) => ({
    ...datum,
    start: places[datum.start] ?? 0,
    end: places[datum.end] ?? text.length,
  }));
  return mergeOverlapping([...written, ...found]);
}

/** The unescaped text, and the original offset of each of its characters. */
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
