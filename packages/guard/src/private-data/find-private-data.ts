import { RESUMABLE_MIN_CHARACTERS, type Resumable, runToEnd } from "../resumable.ts";
import { findEmails, findMaskedEmails, findNetworkAddresses, findSpokenEmails } from "./personal/addresses.ts";
import { findNumbers } from "./personal/numbers.ts";
import { findWallets } from "./personal/wallets.ts";
import { categoryOf, type PrivateValue, type ReportValue } from "./private-value.ts";
import { type ScanResult, scanText } from "./scan-text.ts";
import { findApiKeys } from "./secrets/api-keys.ts";
import { findAssignedSecrets, findSpokenPasswords, findUrlPasswords } from "./secrets/credentials.ts";
import { findPrivateKeys } from "./secrets/private-keys.ts";

/** So many places are gone through without a stop. */
const BATCH_SIZE = 256;

type Finder = (text: string, scanResult: ScanResult, reportValue: ReportValue) => Resumable<void> | void;

/** What is looked for, in this order: where two find the same, the first has it. */
const FINDERS: readonly Finder[] = [
  (text, _places, reportValue) => findPrivateKeys(text, reportValue),
  (text, { longWords: words }, reportValue) => (words.length > 0 ? findApiKeys(text, words, reportValue) : undefined),
  (text, { longWords: words }, reportValue) => findWallets(text, words, reportValue),
  (text, { atSigns: ats }, reportValue) => inBatches(ats, (some) => findUrlPasswords(text, some, reportValue)),
  (text, { atSigns: ats }, reportValue) => inBatches(ats, (some) => findEmails(text, some, reportValue)),
  (text, { assignments }, reportValue) => findAssignedSecrets(text, assignments, reportValue),
  (text, { assignments }, reportValue) => findNetworkAddresses(text, assignments, reportValue),
  (text, { passwordWords: passwords }, reportValue) => findSpokenPasswords(text, passwords, reportValue),
  (text, { atBrackets: brackets }, reportValue) => findMaskedEmails(text, brackets, reportValue),
  (text, { spokenDots: dots }, reportValue) => findSpokenEmails(text, dots, reportValue),
  (text, { numbers }, reportValue) => (numbers.length > 0 ? findNumbers(text, numbers, reportValue) : undefined),
];

/**
 * Keys, passwords and personal data in a text, in order, none within another. Reads the original text, as the case of
 * letters matters. One scan finds the few places that are worth a closer look; the work is linear in the text.
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

/** The same, step by step. */
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

/** Has places gone through a few hundred at a time. */
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

/** Of what reads the same characters, the surest stays, and of equals the longest. */
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

/** Looks for values in a text, step by step. */
export type FindValues = (text: string) => Resumable<readonly PrivateValue[]>;

/** What is looked through as one text. */
const PIECE_CHARACTERS = 16_384;
/** How much of a piece the next one reads again, for the words that say what a value is. */
const OVERLAP_CHARACTERS = 512;

/** The values in a text of any length, piece by piece. */
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
    // What stands near the cut is left to the next piece, which sees all of it.
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
      // A value as long as the piece: half of it would be sent, so the piece grows until it holds all of it.
      size *= 2;
    }
    yield;
  }
}

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
