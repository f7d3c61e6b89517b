import type { ReportValue } from "../candidates/private-value.ts";
import { isReferenceNumber, matchesIn, textBefore } from "../candidates/scan-text.ts";
import { passesLuhn, passesMod97 } from "./id-checks.ts";

/** As cards are written: in groups of four, as Amex and Diners have it, or not grouped; one kind of separator. */
const USUAL_CARD =
  /(?<![\d.,\-/])(?:\d{4}(\.|[ -]{1,3})\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ .-])\d{6}\2\d{4,5}|\d{12,19})(?![\d]|[.,-]\d)/g;
/** In any other groups. They may as well be several numbers, so that such a card counts only where the text calls it one. */
const UNUSUAL_CARD = /(?<![\d.,\-/])\d(?:[ .\-/]{0,3}\d){11,18}(?![\d]|[.,-]\d)/g;
export const CARD_DIGITS_MIN = 12;
export const CARD_DIGITS_MAX = 19;
const CARD_WORDS =
  /card|karte|carte|tarjeta|carta|cartão|kart|credit|debit|visa|master|amex|payment|pay |pan\b|卡|カード|카드|карт/i;

/** The prefixes and lengths of the issuers. */
const ISSUERS: readonly (readonly [pattern: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65|622)/, [16, 17, 18, 19]],
  [/^(?:352[89]|35[3-8])/, [16, 17, 18, 19]],
  [/^(?:2131|1800)/, [15]],
  [/^(?:36|38|39|30[0-5])/, [14, 16]],
  [/^(?:62|81)/, [16, 17, 18, 19]],
  [/^220[0-4]/, [16, 17, 18, 19]],
  [/^(?:508[5-9]|60|82|636|5067|4576|4011)/, [16]],
  [/^(?:50|5[6-8]|6[37])/, [12, 13, 14, 15, 16, 17, 18, 19]],
];
/** Issuers with prefixes and lengths too general to count without a label. */
const LOOSE_ISSUERS = /^(?:50|5[6-8]|6[37]|81|82|60(?!11))/;

/** The lengths of cards in use; numbers of other lengths pass the check too often. */
const USUAL_LENGTHS = [14, 15, 16];

/** Finds payment cards by prefix, length and check digit. */
export function findCards(segment: string, offset: number, text: string, reportValue: ReportValue): void {
  for (const { 0: value, index } of matchesIn(segment, USUAL_CARD)) {
    const digits = value.replace(/\D/g, "");
    if (!isCardNumber(digits)) continue;
    const start = offset + index;
    const isNamed = isCalledACard(text, start);
    const isGrouped = digits.length !== value.length;
    const isLoose = LOOSE_ISSUERS.test(digits) || (!isGrouped && !USUAL_LENGTHS.includes(digits.length));
    if (!isNamed && (isLoose || isReferenceNumber(text, start))) continue;
    reportValue("card", isNamed || isGrouped ? 0.95 : 0.8, start, start + value.length);
  }
  for (const { 0: value, index } of matchesIn(segment, UNUSUAL_CARD)) {
    const start = offset + index;
    if (isCardNumber(value.replace(/\D/g, "")) && isCalledACard(text, start))
      reportValue("card", 0.95, start, start + value.length);
  }
}

const USUAL_GROUPS = /^(?:\d{4}(?:_\d{4}){3}|\d{4}_\d{6}_\d{4,5})$/;
const LINE_BREAK = /[\n\u2028]/;
const WHOLE_CARD = /^[ (]*(\d[\d ._\-/\r\n\u2028]*\d)[ ).]*$/;

/**
 * Finds the one card that a text consists of. Underscores separate as blanks do; lines may as well be several numbers,
 * so that they count only where the text calls them a card.
 */
export function findSplitCard(segment: string, offset: number, text: string, reportValue: ReportValue): void {
  const value = WHOLE_CARD.exec(segment)?.[1];
  if (value === undefined || !isCardNumber(value.replace(/\D/g, ""))) return;
  const start = offset + segment.indexOf(value);
  const isUsual = !LINE_BREAK.test(value) && USUAL_GROUPS.test(value);
  if (isCalledACard(text, start) || (isUsual && !isReferenceNumber(text, start)))
    reportValue("card", 0.95, start, start + value.length);
}

function isCardNumber(digits: string): boolean {
  const isIssued = ISSUERS.some(([start, lengths]) => start.test(digits) && lengths.includes(digits.length));
  return isIssued && passesLuhn(digits) && !/^(\d)\1+$/.test(digits);
}

function isCalledACard(text: string, start: number): boolean {
  return CARD_WORDS.test(textBefore(text, start));
}

/** The length of an IBAN by country. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 " +
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 " +
    "MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 " +
    "TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const IBAN_START = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}/g;

/** Finds IBANs by the length for their country and the check digits. */
export function findIbans(segment: string, offset: number, reportValue: ReportValue): void {
  for (const { 0: beginning, index } of matchesIn(segment, IBAN_START)) {
    const length = IBAN_LENGTHS[beginning.slice(0, 2)];
    if (length === undefined) continue;
    const end = ibanEnd(segment, index, length);
    if (end === undefined) continue;
    const compact = segment.slice(index, end).replace(/[^A-Z0-9]/g, "");
    if (passesMod97(compact)) reportValue("iban", 0.95, offset + index, offset + end);
  }
}

const SMALL_IBAN_START = /(?<![A-Za-z0-9])[a-z]{2}\d{2}/g;
/** The letters and digits of an IBAN before the digits of its account, with spaces, and all that follow. */
const SMALL_IBAN_REACH = [12, 44] as const;

/** Finds an IBAN in small letters, some of which stand before the number that begins at `place`. */
export function findSmallIban(text: string, place: number, reportValue: ReportValue): void {
  const from = Math.max(0, place - SMALL_IBAN_REACH[0]);
  const around = text.slice(from, place + SMALL_IBAN_REACH[1]);
  for (const { index } of matchesIn(around, SMALL_IBAN_START)) {
    const isCut = index === 0 && from > 0;
    if (isCut || from + index >= place) continue;
    findIbans(
      around.slice(index).replace(SMALL_LETTERS, (letters) => letters.toUpperCase()),
      from + index,
      reportValue,
    );
  }
}

const SMALL_LETTERS = /[a-z]+/g;

/** The end of this many letters and digits with single separators between them. */
function ibanEnd(segment: string, start: number, length: number): number | undefined {
  let count = 0;
  let at = start;
  for (; count < length; at += 1) {
    const character = segment.charAt(at);
    if (/[A-Z0-9]/.test(character)) count += 1;
    else if (!/[ -]/.test(character) || !/[A-Z0-9]/.test(segment.charAt(at + 1))) return undefined;
  }
  return /[A-Za-z0-9]/.test(segment.charAt(at)) ? undefined : at;
}
