import { RESUMABLE_MIN_CHARACTERS, type Resumable, runToEnd } from "../resumable.ts";
import { findEmails, findMaskedEmails, findNetworkAddresses, findSpokenEmails } from "./personal/addresses.ts";
import { findNumbers } from "./personal/numbers.ts";
import { findWallets } from "./personal/wallets.ts";
import { categoryOf, type PrivateValue, type ReportValue } from "./private-value.ts";
import { type ScanResult, scanText } from "./scan-text.ts";
import { findApiKeys } from "./secrets/api-keys.ts";
import { findAssignedSecrets, findSpokenPasswords, findUrlPasswords } from "./secrets/credentials.ts";
import { findPrivateKeys } from "./secrets/private-keys.ts";

/** The number of candidates processed per step. */
const BATCH_SIZE = 256;

type Finder = (text: string, scanResult: ScanResult, reportValue: ReportValue) => Resumable<void> | void;

/** All finders, in order: if two find the same value, the first wins. */
const FINDERS: readonly Finder[] = [
  (text, _places, reportValue) => findPrivateKeys(text, reportValue),
  (text, { longWords }, reportValue) => (longWords.length > 0 ? findApiKeys(text, longWords, reportValue) : undefined),
  (text, { longWords }, reportValue) => findWallets(text, longWords, reportValue),
  (text, { atSigns }, reportValue) => inBatches(atSigns, (some) => findUrlPasswords(text, some, reportValue)),
  (text, { atSigns }, reportValue) => inBatches(atSigns, (some) => findEmails(text, some, reportValue)),
  (text, { assignments }, reportValue) => findAssignedSecrets(text, assignments, reportValue),
  (text, { assignments }, reportValue) => findNetworkAddresses(text, assignments, reportValue),
  (text, { passwordWords }, reportValue) => findSpokenPasswords(text, passwordWords, reportValue),
  (text, { atBrackets }, reportValue) => findMaskedEmails(text, atBrackets, reportValue),
  (text, { spokenDots }, reportValue) => findSpokenEmails(text, spokenDots, reportValue),
  (text, { numbers }, reportValue) => (numbers.length > 0 ? findNumbers(text, numbers, reportValue) : undefined),
];

/**
 * Finds keys, passwords and personal data in a text, in order and without overlaps. Reads the original text, as upper
 * and lower case matter. One scan finds the few candidates; the work is linear in the text.
 */
export function findPrivateData(text: string): PrivateValue[] {
  const found: PrivateValue[] = [];
  const reportValue = collectInto(found);
  const scanResult = scanText(text);
  for (const finder of FINDERS) {
    const resumable = finder(text, scanResult, reportValue);
    if (resumable !== undefined) runToEnd(resumable);
  }
  return withoutOverlaps(found);
}

export function* findPrivateDataResumable(text: string): Resumable<PrivateValue[]> {
  if (text.length < RESUMABLE_MIN_CHARACTERS) return findPrivateData(text);
  const found: PrivateValue[] = [];
  const reportValue = collectInto(found);
  yield;
  const scanResult = scanText(text);
  for (const finder of FINDERS) {
    yield;
    const resumable = finder(text, scanResult, reportValue);
    if (resumable !== undefined) yield* resumable;
  }
  return withoutOverlaps(found);
}

function collectInto(found: PrivateValue[]): ReportValue {
  return (kind, weight, start, end) => {
    found.push({ category: categoryOf(kind), kind, weight, start, end });
  };
}

/** Processes candidates in batches of a few hundred. */
function inBatches<Place>(
  places: readonly Place[],
  find: (some: readonly Place[]) => void,
): Resumable<void> | undefined {
  if (places.length > BATCH_SIZE) return forEachBatch(places, find);
  if (places.length > 0) find(places);
  return undefined;
}

function* forEachBatch<Place>(places: readonly Place[], find: (some: readonly Place[]) => void): Resumable<void> {
  for (let from = 0; from < places.length; from += BATCH_SIZE) {
    if (from > 0) yield;
    find(places.slice(from, from + BATCH_SIZE));
  }
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

/** Finds the values in a text, step by step. */
export type FindValues = (text: string) => Resumable<readonly PrivateValue[]>;

/** The length of a piece that is searched at once. */
const PIECE_CHARACTERS = 16_384;
/** How much of a piece the next one repeats, for the labels in front of values. */
const OVERLAP_CHARACTERS = 512;

/** Finds the values in a text of any length, piece by piece. */
export function* findInLongText(findValues: FindValues, text: string): Resumable<readonly PrivateValue[]> {
  if (text.length <= PIECE_CHARACTERS) return yield* findValues(text);
  const found: PrivateValue[] = [];
  let start = 0;
  let known = 0;
  let size = PIECE_CHARACTERS;
  for (;;) {
    const end = Math.min(text.length, start + size);
    const isLast = end === text.length;
    const here = (yield* findValues(text.slice(start, end))).map((datum) => ({
      ...datum,
      start: datum.start + start,
      end: datum.end + start,
    }));
    // Values near the cut are left to the next piece, which contains them completely.
    const cut = isLast ? end : end - OVERLAP_CHARACTERS;
    const open = here.find((datum) => datum.end > cut && datum.start >= known);
    const until = isLast ? end : Math.min(cut, open?.start ?? cut);
    const next = until - OVERLAP_CHARACTERS;
    if (isLast || next > start) {
      found.push(...here.filter((datum) => datum.start >= known && datum.start < until));
      if (isLast) return found;
      known = Math.max(until, found.at(-1)?.end ?? 0);
      start = next;
      size = PIECE_CHARACTERS;
    } else {
      // The value is as long as the piece. The piece grows until it contains the whole value, so that no part of it
      // leaks.
      size *= 2;
    }
    yield;
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
export function findPrivateDataWithEscapes(text: string): readonly PrivateValue[] {
  return text.includes("\\")
    ? runToEnd(findWithEscapesResumable(findPrivateDataResumable, text))
    : findPrivateData(text);
}

/** The same with any finder, step by step. */
export function* findWithEscapesResumable(findValues: FindValues, text: string): Resumable<readonly PrivateValue[]> {
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
