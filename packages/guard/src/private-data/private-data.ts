import { RESUMABLE_MIN_CHARACTERS, type Resumable, runToEnd } from "../resumable.ts";
import { findEmails, findMaskedEmails, findSpokenEmails } from "./personal/emails.ts";
import { findNetworkAddresses } from "./personal/network-addresses.ts";
import { findNumbers } from "./personal/numbers.ts";
import { findWallets } from "./personal/wallets.ts";
import { categoryOf, type PrivateValue, type ReportValue } from "./private-value.ts";
import { type ScanResult, scanText } from "./scan.ts";
import { findAssignedSecrets, findSpokenPasswords } from "./secrets/assigned.ts";
import { findApiKeys } from "./secrets/keys.ts";
import { findPrivateKeys } from "./secrets/private-keys.ts";
import { findUrlPasswords } from "./secrets/url-passwords.ts";

/** So many places are gone through without a stop. */
const BATCH_SIZE = 256;

type Finder = (text: string, scanResult: ScanResult, reportValue: ReportValue) => Resumable<void> | void;

/** What is looked for, in this order: where two find the same, the first has it. */
const FINDERS: readonly Finder[] = [
  (text, _places, reportValue) => findPrivateKeys(text, reportValue),
  (text, { longWords: words }, reportValue) =>
    words.length > 0 ? findApiKeys(text, words, reportValue) : undefined,
  (text, { longWords: words }, reportValue) => findWallets(text, words, reportValue),
  (text, { atSigns: ats }, reportValue) =>
    inBatches(ats, (some) => findUrlPasswords(text, some, reportValue)),
  (text, { atSigns: ats }, reportValue) => inBatches(ats, (some) => findEmails(text, some, reportValue)),
  (text, { assignments }, reportValue) => findAssignedSecrets(text, assignments, reportValue),
  (text, { assignments }, reportValue) => findNetworkAddresses(text, assignments, reportValue),
  (text, { passwordWords: passwords }, reportValue) => findSpokenPasswords(text, passwords, reportValue),
  (text, { atBrackets: brackets }, reportValue) => findMaskedEmails(text, brackets, reportValue),
  (text, { spokenDots: dots }, reportValue) => findSpokenEmails(text, dots, reportValue),
  (text, { numbers }, reportValue) =>
    numbers.length > 0 ? findNumbers(text, numbers, reportValue) : undefined,
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

function* forEachBatch<Place>(
  places: readonly Place[],
  find: (some: readonly Place[]) => void,
): Resumable<void> {
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
