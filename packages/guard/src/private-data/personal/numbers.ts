import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../../resumable.ts";
import type { ReportValue } from "../private-value.ts";
import { isReferenceNumber, type NumberRange, textAround } from "../scan-text.ts";
import { findIpv4 } from "./addresses.ts";
import { findDatesOfBirth, findDocuments } from "./documents-and-birth-dates.ts";
import type { NationalIdFormat } from "./id-checks.ts";
import { AMERICAN_ID_FORMATS } from "./national-ids-americas.ts";
import { EUROPEAN_ID_FORMATS } from "./national-ids-europe.ts";
import { REST_OF_WORLD_ID_FORMATS } from "./national-ids-rest-of-world.ts";
import { findCards, findIbans } from "./payment-numbers.ts";
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

const FORMATS = [...EUROPEAN_ID_FORMATS, ...AMERICAN_ID_FORMATS, ...REST_OF_WORLD_ID_FORMATS].map((form) => ({
  ...form,
  capitals: form.capitals ?? 0,
  matcher: new RegExp(`(?<![A-Za-z0-9]|\\d[.,-])(?:${form.pattern})(?![A-Za-z0-9]|[.,-]\\d)`, "g"),
}));
const KEYWORD_WEIGHT = 0.85;

interface NumberCandidate {
  readonly stretch: string;
  readonly digits: number;
  readonly capitals: number;
  readonly offset: number;
  readonly text: string;
}

/** Numbers by which states know their people: a right check, and words about it or a form of its own. */
function* findNationalIds(
  { stretch, digits, capitals, offset, text }: NumberCandidate,
  reportValue: ReportValue,
): Resumable<void> {
  for (const form of FORMATS) {
    if (digits < form.digits || capitals < form.capitals) continue;
    if (stretch.length >= RESUMABLE_MIN_CHARACTERS) yield;
    for (const { 0: value, index } of stretch.matchAll(form.matcher)) {
      const compact = value.replace(/[^A-Z0-9]/g, "");
      if (!form.isValid(compact)) continue;
      const start = offset + index;
      const weight = weightOf(form, value, compact, text, start);
      if (weight !== undefined) reportValue("national_id", weight, start, start + value.length);
    }
  }
}

function weightOf(
  { keywords: cue, weightWithoutKeyword: alone, requiresSeparators: aloneWithJoints }: NationalIdFormat,
  value: string,
  compact: string,
  text: string,
  start: number,
): number | undefined {
  if (cue.test(textAround(text, start, start + value.length))) return KEYWORD_WEIGHT;
  if (alone === undefined || isReferenceNumber(text, start)) return undefined;
  return aloneWithJoints === true && value.length === compact.length ? undefined : alone;
}
