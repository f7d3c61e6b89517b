import { atOnce, STEP_CHARACTERS, type Steps } from "../resumable.ts";
import { findEmails, findMaskedEmails, findSpokenEmails } from "./personal/emails.ts";
import { findNetworkAddresses } from "./personal/network-addresses.ts";
import { findNumbers } from "./personal/numbers.ts";
import { findWallets } from "./personal/wallets.ts";
import { categoryOf, type Note, type PrivateDatum } from "./private-value.ts";
import { type Places, scan } from "./scan.ts";
import { findAssigned, findSpokenPasswords } from "./secrets/assigned.ts";
import { findKeys } from "./secrets/keys.ts";
import { findPrivateKeys } from "./secrets/private-keys.ts";
import { findUrlPasswords } from "./secrets/url-passwords.ts";

/** So many places are gone through without a stop. */
const AT_ONCE = 256;

type Look = (text: string, places: Places, note: Note) => Steps<void> | void;

/** What is looked for, in this order: where two find the same, the first has it. */
const LOOKS: readonly Look[] = [
  (text, _places, note) => findPrivateKeys(text, note),
  (text, { words }, note) => (words.length > 0 ? findKeys(text, words, note) : undefined),
  (text, { words }, note) => findWallets(text, words, note),
  (text, { ats }, note) => someAtOnce(ats, (some) => findUrlPasswords(text, some, note)),
  (text, { ats }, note) => someAtOnce(ats, (some) => findEmails(text, some, note)),
  (text, { assignments }, note) => findAssigned(text, assignments, note),
  (text, { assignments }, note) => findNetworkAddresses(text, assignments, note),
  (text, { passwords }, note) => findSpokenPasswords(text, passwords, note),
  (text, { brackets }, note) => findMaskedEmails(text, brackets, note),
  (text, { dots }, note) => findSpokenEmails(text, dots, note),
  (text, { numbers }, note) => (numbers.length > 0 ? findNumbers(text, numbers, note) : undefined),
];

/**
 * Keys, passwords and personal data in a text, in order, none within another. Reads the original text, as the case of
 * letters matters. One scan finds the few places that are worth a closer look; the work is linear in the text.
 */
export function findPrivateData(text: string): PrivateDatum[] {
  const found: PrivateDatum[] = [];
  const note = noteIn(found);
  const places = scan(text);
  for (const look of LOOKS) {
    const steps = look(text, places, note);
    if (steps !== undefined) atOnce(steps);
  }
  return withoutOverlaps(found);
}

/** The same, step by step. */
export function* searchPrivateData(text: string): Steps<PrivateDatum[]> {
  if (text.length < STEP_CHARACTERS) return findPrivateData(text);
  const found: PrivateDatum[] = [];
  const note = noteIn(found);
  yield;
  const places = scan(text);
  for (const look of LOOKS) {
    yield;
    const steps = look(text, places, note);
    if (steps !== undefined) yield* steps;
  }
  return withoutOverlaps(found);
}

function noteIn(found: PrivateDatum[]): Note {
  return (kind, weight, start, end) => {
    found.push({ category: categoryOf(kind), kind, weight, start, end });
  };
}

/** Has places gone through a few hundred at a time. */
function someAtOnce<Place>(
  places: readonly Place[],
  find: (some: readonly Place[]) => void,
): Steps<void> | undefined {
  if (places.length > AT_ONCE) return eachFew(places, find);
  if (places.length > 0) find(places);
  return undefined;
}

function* eachFew<Place>(places: readonly Place[], find: (some: readonly Place[]) => void): Steps<void> {
  for (let from = 0; from < places.length; from += AT_ONCE) {
    if (from > 0) yield;
    find(places.slice(from, from + AT_ONCE));
  }
}

/** Of what reads the same characters, the surest stays, and of equals the longest. */
function withoutOverlaps(found: PrivateDatum[]): PrivateDatum[] {
  if (found.length < 2) return found;
  const inOrder = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const apart: PrivateDatum[] = [];
  for (const datum of inOrder) {
    const last = apart.at(-1);
    if (last === undefined || datum.start >= last.end) apart.push(datum);
    else if (isSurer(datum, last)) apart[apart.length - 1] = datum;
  }
  return apart;
}

function isSurer(one: PrivateDatum, other: PrivateDatum): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.end - one.start > other.end - other.start;
}
