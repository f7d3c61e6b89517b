import { STEP_CHARACTERS, type Steps } from "../../resumable.ts";
import type { Note } from "../private-value.ts";
import type { NumberStretch } from "../scan.ts";
import { findCards } from "./cards.ts";
import { findDatesOfBirth } from "./dates-of-birth.ts";
import { findDocuments } from "./documents.ts";
import { findIbans } from "./ibans.ts";
import { findNationalIds } from "./national-ids.ts";
import { findIpv4 } from "./network-addresses.ts";
import { findPhones } from "./phones.ts";

/** So many short stretches are gone through without a stop. */
const AT_ONCE = 16;
const ENOUGH_DIGITS = /\d(?:[^\d]{0,8}\d){3}/;

/** Whatever is a number with a meaning. The surest reading of each is chosen afterwards. */
export function* findNumbers(text: string, stretches: readonly NumberStretch[], note: Note): Steps<void> {
  for (const [index, { start, end, digits, capitals }] of stretches.entries()) {
    if (end - start >= STEP_CHARACTERS || index % AT_ONCE === AT_ONCE - 1) yield;
    const stretch = plainJoints(withoutEndless(wholeWords(text, start, end)));
    if (!ENOUGH_DIGITS.test(stretch)) continue;
    if (digits >= 12) findCards(stretch, start, text, note);
    if (digits >= 10 && capitals >= 2) findIbans(stretch, start, note);
    yield* findNationalIds({ stretch, digits, capitals, offset: start, text }, note);
    if (digits >= 7) findPhones(stretch, start, text, note);
    if (digits >= 5) findDocuments(stretch, start, text, note);
    findDatesOfBirth(stretch, start, text, note);
    if (stretch.includes(".")) findIpv4(stretch, start, note);
  }
}

/** The stretch, with a word that reaches out of it made one that no pattern knows. */
function wholeWords(text: string, start: number, end: number): string {
  let stretch = text.slice(start, end);
  if (isOfWord(text, start - 1)) stretch = stretch.replace(/^\+?[A-Z0-9]+/, blank);
  return isOfWord(text, end) && !isExtension(text, end)
    ? stretch.replace(/(?<![A-Z0-9])[A-Z0-9]+$/, blank)
    : stretch;
}

/** "x123" and "ext. 123" after a phone number. */
function isExtension(text: string, at: number): boolean {
  return /^(?:x|ext\.?) ?\d{1,6}(?![A-Za-z0-9])/.test(text.slice(at, at + 12));
}

function isOfWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 95 || (code >= 97 && code <= 122);
}

/** No number of anybody's is that long, and every pattern would try. */
const ENDLESS = /\d{41,}/g;

function withoutEndless(stretch: string): string {
  return stretch.length > 40 ? stretch.replace(ENDLESS, blank) : stretch;
}

function blank(word: string): string {
  return "_".repeat(word.length);
}

const FOREIGN = /[^ -~]/;

function plainJoints(stretch: string): string {
  if (!FOREIGN.test(stretch)) return stretch;
  return stretch.replace(/[\u00a0\u202f]/g, " ").replace(/[\u2010-\u2013]/g, "-");
}
