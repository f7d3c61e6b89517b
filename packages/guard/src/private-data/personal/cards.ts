import { isReferenceNumber, textBefore } from "../cues.ts";
import type { ReportValue } from "../private-value.ts";
import { passesLuhn } from "./check-digits.ts";

/** Groups of four, or those of Amex and Diners, or none; one kind of separator. */
const CARD_CANDIDATE =
  /(?<![\d.,\-/])(?:\d{4}([ .-])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5}|\d{12,19})(?![\d]|[.,-]\d)/g;
const CARD_WORDS =
  /card|karte|carte|tarjeta|carta|cartão|kart|credit|debit|visa|master|amex|payment|pay |pan\b|卡|カード|카드|карт/i;

/** How the issuers' numbers begin, and how long they are. */
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
/** Of issuers whose numbers are as loose as any other. */
const LOOSE_ISSUERS = /^(?:50|5[6-8]|6[37]|81|82|60(?!11))/;

/** Of cards that are about; other numbers of other lengths pass the check as well. */
const USUAL_LENGTHS = [14, 15, 16];

/** Payment cards: the right beginning, length and check digit. */
export function findCards(stretch: string, offset: number, text: string, reportValue: ReportValue): void {
  for (const { 0: value, index } of stretch.matchAll(CARD_CANDIDATE)) {
    const digits = value.replace(/\D/g, "");
    const isIssued = ISSUERS.some(
      ([start, lengths]) => start.test(digits) && lengths.includes(digits.length),
    );
    if (!isIssued || !passesLuhn(digits) || /^(\d)\1+$/.test(digits)) continue;
    const start = offset + index;
    const isCalledACard = CARD_WORDS.test(textBefore(text, start));
    const isGrouped = digits.length !== value.length;
    const isLoose = LOOSE_ISSUERS.test(digits) || (!isGrouped && !USUAL_LENGTHS.includes(digits.length));
    if (!isCalledACard && (isLoose || isReferenceNumber(text, start))) continue;
    reportValue("card", isCalledACard || isGrouped ? 0.95 : 0.8, start, start + value.length);
  }
}
