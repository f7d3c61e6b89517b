import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../../resumable.ts";
import type { ReportValue } from "../private-value.ts";
import type { NumberRange } from "../scan.ts";
import { findCards } from "./cards.ts";
import { findDatesOfBirth } from "./dates-of-birth.ts";
import { findDocuments } from "./documents.ts";
import { findIbans } from "./ibans.ts";
import { findNationalIds } from "./national-ids.ts";
import { findIpv4 } from "./network-addresses.ts";
import { findPhones } from "./phones.ts";

/** So many short stretches are gone through without a stop. */
const RANGES_PER_STEP = 16;
const ENOUGH_DIGITS = /\d(?:[^\d]{0,8}\d){3}/;

/** Whatever is a number with a meaning. The surest reading of each is chosen afterwards. */
export function* findNumbers(
  text: string,
  stretches: readonly NumberRange[],
  reportValue: ReportValue,
): Resumable<void> {
  for (const [index, { start, end, digits, capitals }] of stretches.entries()) {
    if (end - start >= RESUMABLE_MIN_CHARACTERS || index % RANGES_PER_STEP === RANGES_PER_STEP - 1) yield;
    const stretch = withAsciiSeparators(blankEndlessDigits(blankCutWords(text, start, end)));
    if (!ENOUGH_DIGITS.test(stretch)) continue;
    if (digits >= 12) findCards(stretch, start, text, reportValue);
    if (digits >= 10 && capitals >= 2) findIbans(stretch, start, reportValue);
    yield* findNationalIds({ stretch, digits, capitals, offset: start, text }, reportValue);
    if (digits >= 7) findPhones(stretch, start, text, reportValue);
    if (digits >= 5) findDocuments(stretch, start, text, reportValue);
    findDatesOfBirth(stretch, start, text, reportValue);
    if (stretch.includes(".")) findIpv4(stretch, start, reportValue);
  }
}

/** The stretch, with a word that reaches out of it made one that no pattern knows. */
function blankCutWords(text: string, start: number, end: number): string {
  let stretch = text.slice(start, end);
  if (isWordCharacter(text, start - 1)) stretch = stretch.replace(/^\+?[A-Z0-9]+/, blank);
  return isWordCharacter(text, end) && !isExtension(text, end)
    ? stretch.replace(/(?<![A-Z0-9])[A-Z0-9]+$/, blank)
    : stretch;
}

/** "x123" and "ext. 123" after a phone number. */
function isExtension(text: string, at: number): boolean {
  return /^(?:x|ext\.?) ?\d{1,6}(?![A-Za-z0-9])/.test(text.slice(at, at + 12));
}

function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 95 || (code >= 97 && code <= 122);
}

/** No number of anybody's is that long, and every pattern would try. */
const ENDLESS = /\d{41,}/g;

function blankEndlessDigits(stretch: string): string {
  return stretch.length > 40 ? stretch.replace(ENDLESS, blank) : stretch;
}

function blank(word: string): string {
  return "_".repeat(word.length);
}

const NON_ASCII = /[^ -~]/;

function withAsciiSeparators(stretch: string): string {
  if (!NON_ASCII.test(stretch)) return stretch;
  return stretch.replace(/[\u00a0\u202f]/g, " ").replace(/[\u2010-\u2013]/g, "-");
}
