import type { ReportValue } from "../candidates/private-value.ts";
import { isReferenceNumber, matchesIn, type NumberRange, textAround } from "../candidates/scan-text.ts";
import { findIpv4 } from "./addresses.ts";
import { findDatesOfBirth, findDocuments } from "./documents-and-birth-dates.ts";
import type { NationalIdFormat } from "./id-checks.ts";
import { AMERICAN_ID_FORMATS } from "./national-ids-americas.ts";
import { EUROPEAN_ID_FORMATS } from "./national-ids-europe.ts";
import { REST_OF_WORLD_ID_FORMATS } from "./national-ids-rest-of-world.ts";
import {
  CARD_DIGITS_MAX,
  CARD_DIGITS_MIN,
  findCards,
  findIbans,
  findSmallIban,
  findSplitCard,
} from "./payment-numbers.ts";
import { findPhones } from "./phones.ts";

const ENOUGH_DIGITS = /\d(?:[^\d]{0,8}\d){3}/;

/** Finds all kinds of numbers. The most confident kind of each is chosen later. */
export function findNumbers(text: string, ranges: readonly NumberRange[], reportValue: ReportValue): void {
  for (const { start, end, digits, capitals } of ranges) {
    if (digits >= 8 && isWordCharacter(text, start - 1)) findSmallIban(text, start, reportValue);
    const segment = asciiNumber(blankEndlessDigits(blankCutWords(text, start, end)));
    if (!ENOUGH_DIGITS.test(segment)) continue;
    if (digits >= CARD_DIGITS_MIN) findCards(segment, start, text, reportValue);
    if (digits >= 10 && capitals >= 2) findIbans(segment, start, reportValue);
    findNationalIds({ segment, digits, capitals, offset: start, text }, reportValue);
    if (digits >= 7) findPhones(segment, start, text, reportValue);
    if (digits >= 5) findDocuments(segment, start, text, reportValue);
    findDatesOfBirth(segment, start, text, reportValue);
    if (segment.includes(".")) findIpv4(segment, start, reportValue);
  }
  if (ranges.length > 1) findSplitCards(text, ranges, reportValue);
}

/** The range with words that extend beyond it blanked. */
function blankCutWords(text: string, start: number, end: number): string {
  let segment = text.slice(start, end);
  if (isWordCharacter(text, start - 1)) segment = segment.replace(/^\+?[A-Z0-9]+/, blank);
  return isWordCharacter(text, end) && !isExtension(text, end)
    ? segment.replace(/(?<![A-Z0-9])[A-Z0-9]+$/, blank)
    : segment;
}

/** "x123" and "ext. 123" after a phone number. */
function isExtension(text: string, at: number): boolean {
  return /^(?:x|ext\.?) ?\d{1,6}(?![A-Za-z0-9])/.test(text.slice(at, at + 12));
}

function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 95 || (code >= 97 && code <= 122);
}

/** No relevant number is that long, and every pattern would try it. */
const ENDLESS = /\d{41,}/g;

function blankEndlessDigits(segment: string): string {
  return segment.length > 40 ? segment.replace(ENDLESS, blank) : segment;
}

function blank(word: string): string {
  return "_".repeat(word.length);
}

const NON_ASCII = /[^ -~]/;
const FULL_WIDTH = /[\uff01-\uff5e]/g;
/** Between a full-width character and the ASCII one. */
const FULL_WIDTH_OFFSET = 0xfee0;

/** The same number in ASCII, of the same length. */
function asciiNumber(segment: string): string {
  if (!NON_ASCII.test(segment)) return segment;
  return segment
    .replace(/[\u00a0\u202f\u3000]/g, " ")
    .replace(/[\u2010-\u2013]/g, "-")
    .replace(FULL_WIDTH, (character) => String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET));
}

/** What may begin the break between two parts of a card, and ends a range: an underscore or a line break. */
const CARD_BREAKS = "_\r\n\u2028";
const CARD_BREAK_CHARACTERS_MAX = 2;
/** Every group of a card is a range of its own, and no card has more. */
const CARD_RANGES_MAX = 5;

/** Finds cards with underscores or line breaks between their groups. */
function findSplitCards(text: string, ranges: readonly NumberRange[], reportValue: ReportValue): void {
  for (let first = 0; first < ranges.length - 1; first += 1) {
    const start = ranges[first]?.start ?? 0;
    let end = ranges[first]?.end ?? 0;
    let digits = ranges[first]?.digits ?? 0;
    for (let next = first + 1; next < Math.min(ranges.length, first + CARD_RANGES_MAX); next += 1) {
      const range = ranges[next];
      if (range === undefined || range.start - end > CARD_BREAK_CHARACTERS_MAX) break;
      if (!CARD_BREAKS.includes(text.charAt(end))) break;
      end = range.end;
      digits += range.digits;
      if (digits > CARD_DIGITS_MAX) break;
      if (digits >= CARD_DIGITS_MIN) findSplitCard(asciiNumber(text.slice(start, end)), start, text, reportValue);
    }
  }
}

const FORMATS = [...EUROPEAN_ID_FORMATS, ...AMERICAN_ID_FORMATS, ...REST_OF_WORLD_ID_FORMATS].map((format) => ({
  ...format,
  capitals: format.capitals ?? 0,
  matcher: new RegExp(`(?<![A-Za-z0-9]|\\d[.,-])(?:${format.pattern})(?![A-Za-z0-9]|[.,-]\\d)`, "g"),
}));
const KEYWORD_WEIGHT = 0.85;

interface NumberCandidate {
  readonly segment: string;
  readonly digits: number;
  readonly capitals: number;
  readonly offset: number;
  readonly text: string;
}

/** Finds national identifiers: a valid check digit, and a label or a distinctive format. */
function findNationalIds({ segment, digits, capitals, offset, text }: NumberCandidate, reportValue: ReportValue): void {
  for (const format of FORMATS) {
    if (digits < format.digits || capitals < format.capitals) continue;
    for (const { 0: value, index } of matchesIn(segment, format.matcher)) {
      const compact = value.replace(/[^A-Z0-9]/g, "");
      if (!format.isValid(compact)) continue;
      const start = offset + index;
      const weight = weightOf(format, value, compact, text, start);
      if (weight !== undefined) reportValue("national_id", weight, start, start + value.length);
    }
  }
}

function weightOf(
  { keywords, weightWithoutKeyword, requiresSeparators }: NationalIdFormat,
  value: string,
  compact: string,
  text: string,
  start: number,
): number | undefined {
  if (keywords.test(textAround(text, start, start + value.length))) return KEYWORD_WEIGHT;
  if (weightWithoutKeyword === undefined || isReferenceNumber(text, start)) return undefined;
  return requiresSeparators === true && value.length === compact.length ? undefined : weightWithoutKeyword;
}
