import { atOnce, STEP_CHARACTERS, type Steps } from "../turns.ts";
import { findEmails, findMaskedEmails, findSpokenEmails } from "./personal/emails.ts";
import { findNetworkAddresses } from "./personal/network-addresses.ts";
import { findNumbers } from "./personal/numbers.ts";
import { findWallets } from "./personal/wallets.ts";
import { categoryOf, type PrivateDatum, type PrivateKind } from "./private-datum.ts";
import { scan } from "./scan.ts";
import { findAssigned, findSpokenPasswords } from "./secrets/assigned.ts";
import { findKeys } from "./secrets/keys.ts";
import { findPrivateKeys } from "./secrets/private-keys.ts";
import { findUrlPasswords } from "./secrets/url-passwords.ts";

/** So many places are gone through without a stop. */
const AT_ONCE = 256;

/**
 * Keys, passwords and personal data in a text, in order, none within another. Reads the original text, as the case of
 * letters matters. One scan finds the few places that are worth a closer look; the work is linear in the text.
 */
export function findPrivateData(text: string): PrivateDatum[] {
  return atOnce(searchPrivateData(text));
}

/** The same, step by step. */
export function* searchPrivateData(text: string): Steps<PrivateDatum[]> {
  const isLong = text.length >= STEP_CHARACTERS;
  const found: PrivateDatum[] = [];
  const note = (kind: PrivateKind, weight: number, start: number, end: number) => {
    found.push({ category: categoryOf(kind), kind, weight, start, end });
  };
  if (isLong) yield;
  const { numbers, words, ats, assignments, brackets, dots, passwords } = scan(text);
  if (isLong) yield;
  findPrivateKeys(text, note);
  if (words.length > 0) {
    if (isLong) yield;
    yield* findKeys(text, words, note);
    if (isLong) yield;
    findWallets(text, words, note);
  }
  if (ats.length > 0) {
    if (isLong) yield;
    yield* someAtOnce(ats, (some) => findUrlPasswords(text, some, note));
    yield* someAtOnce(ats, (some) => findEmails(text, some, note));
  }
  if (assignments.length > 0) {
    if (isLong) yield;
    yield* findAssigned(text, assignments, note);
    if (isLong) yield;
    findNetworkAddresses(text, assignments, note);
  }
  if (isLong) yield;
  findSpokenPasswords(text, passwords, note);
  findMaskedEmails(text, brackets, note);
  findSpokenEmails(text, dots, note);
  if (isLong) yield;
  if (numbers.length > 0) yield* findNumbers(text, numbers, note);
  return found.length < 2 ? found : withoutOverlaps(found);
}

/** Has places gone through a few hundred at a time. */
function* someAtOnce<Place>(places: readonly Place[], find: (some: readonly Place[]) => void): Steps<void> {
  for (let from = 0; from < places.length; from += AT_ONCE) {
    if (from > 0) yield;
    find(places.length <= AT_ONCE ? places : places.slice(from, from + AT_ONCE));
  }
}

/** Of what reads the same characters, the surest stays, and of equals the longest. */
function withoutOverlaps(found: readonly PrivateDatum[]): PrivateDatum[] {
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
