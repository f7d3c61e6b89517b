import type { ReportValue } from "../candidates/private-value.ts";
import { isReferenceNumber, matchesIn, textBefore } from "../candidates/scan-text.ts";

const INTERNATIONAL =
  /(?<![\d+A-Za-z])(?:\+|00 ?(?=[1-9]\d{0,2}[ .\-/()]))[1-9]\d{0,2}(?:[ .\-/]{0,3}\(?\d{1,6}\)?){1,7}(?![\d]|[.,:]\d)/g;
/** Ten digits as grouped in North America; the area code never begins with 0 or 1. */
const NORTH_AMERICAN =
  /(?<![\d+A-Za-z.\-/])(?:1[ .-])?(?:\([2-9]\d{2}\) ?\d{3}[ .-]\d{4}|[2-9]\d{2} [2-9]\d{2} \d{4}|[2-9]\d{2}-[1-9]\d{2}-\d{4}|[2-9]\d{2}\.[2-9]\d{2}\.\d{4})(?![\d]|[.,-]\d)/g;
/** A trunk zero, then groups. */
const TRUNK_ZERO =
  /(?<![\d+A-Za-z.,\-/])\(?0[1-9]\d{0,4}\)?(?: ?[-/.] ?| )\d{2,8}(?:[ .-]\d{2,4}){0,4}(?![\d]|[.,:/ -]\d)/g;
/**
 * Mobile numbers as they are grouped in countries without a trunk zero and in Russia, where the trunk prefix is 8; British
 * and French ones without groups.
 */
const GROUPED =
  /(?<![\d+A-Za-z.,\-/])(?:\(\d{2}\) ?9?\d{4}-\d{4}|1[3-9]\d([ -])\d{4}\1\d{4}|[6-9]\d{4}[ -]\d{5}|8 ?\(?9\d{2}\)? ?\d{3}[ -]\d{2}[ -]\d{2}|07[1-9]\d{8}|0[67]\d{8})(?![\d]|[.,-]\d)/g;
/** Any digits right after a phone label. */
const LABELLED = /(?<![\w+.,\-/])\(?\d(?:[ .-]{0,2}[()]?\d){6,13}(?![\d]|[.,:]\d)/g;

const PHONE_LABEL =
  /(?<![a-zà-ÿ])(?:phones?|(?:mobile|cell|home|work|office)(?: number)?|tel[ée]?(?:fon|phone|fono|fone|foon)?\w{0,8}|mobil|call(?:s|ed|ing)?(?: \w{1,12})?(?: (?:at|on|under))?|(?:text|reach|ring|dial|contact) (?:me|us|him|her|them|at|on)(?: (?:at|on|via))?|sms|whats ?app|fax|handy|portable|móvil|celular|cellulare|rufnummer|fijo|festnetz|num+er(?: do \w{1,12})?|komórk\w{0,4}|gsm|hotline|llám\w{0,5}|llama\w{0,5}|appel\w{0,4}(?:-moi)?|anruf\w{0,4}|chiama\w{0,4}|ligue|bel(?: me)?|contact number)(?: (?:al?|au|op|no|para|unter))?[^a-z\d]{0,6}(?:(?:is|ist|es|est|é|è|number|no|nr|nummer)[^a-z\d]{0,4}){0,2}$|(?:电话|手机|電話|携帯|전화|휴대폰|телефон|моб|тел|फोन|मोबाइल)[^\d]{0,12}$/i;
const LEADING_DATE = /^\(?(?:\d{4}[-./ ]\d{2}[-./ ]\d{2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d{2})/;

/** Finds phone numbers with a country code, with a distinctive grouping, or with a label. */
export function findPhones(segment: string, offset: number, text: string, reportValue: ReportValue): void {
  const reportMatches = (
    pattern: RegExp,
    weight: number,
    isPhone: (digits: string, start: number, value: string) => boolean,
  ) => {
    for (const { 0: match, index } of matchesIn(segment, pattern)) {
      const value = match.replace(/[ .\-/(]+$/, "");
      const start = offset + index;
      if (isPhone(value.replace(/\D/g, ""), start, value)) reportValue("phone", weight, start, start + value.length);
    }
  };
  reportMatches(INTERNATIONAL, 0.7, (digits, _start, value) =>
    value.startsWith("+")
      ? hasLengthOfCountry(digits)
      : hasLengthOfCountry(digits.slice(2)) && !/[^\d]00.*[^\d]00/.test(value),
  );
  const isUnambiguous = (start: number, value: string) => !LEADING_DATE.test(value) && !isReferenceNumber(text, start);
  reportMatches(NORTH_AMERICAN, 0.65, (_digits, start, value) => isUnambiguous(start, value));
  reportMatches(
    TRUNK_ZERO,
    0.6,
    (digits, start, value) => hasTrunkLength(digits, value) && isUnambiguous(start, value),
  );
  reportMatches(GROUPED, 0.6, (_digits, start, value) => isUnambiguous(start, value));
  reportMatches(
    LABELLED,
    0.6,
    (digits, start, value) =>
      isLabelledAsPhone(text, start) && isUnambiguous(start, value) && !isOtherNumber(digits, value),
  );
}

/**
 * Nine to eleven digits, twelve in two groups or with a bracketed area code; dots only as in France; not grouped like some
 * national identifiers.
 */
function hasTrunkLength(digits: string, value: string): boolean {
  const most = /^(?:\(|\d+\D+\d+$)/.test(value) ? 12 : 11;
  if (digits.length < 9 || digits.length > most || /^(?:\d{3}-\d{2}-\d{4}|\d{6}-\d{4})$/.test(value)) return false;
  return !value.includes(".") || /^0\d(?:\.\d{2}){4}$/.test(value);
}

function isLabelledAsPhone(text: string, start: number): boolean {
  return PHONE_LABEL.test(textBefore(text, start, 40));
}

const NETWORK_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const YEARS = /^\(?(?:1[5-9]|20)\d{2}[-/ ]{1,3}(?:1[5-9]|20)?\d{2}$/;
const COMPACT_DATE = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/;

/** Numbers with as many digits that have another obvious meaning. */
function isOtherNumber(digits: string, value: string): boolean {
  return /^[01]+$/.test(digits) || COMPACT_DATE.test(digits) || YEARS.test(value) || NETWORK_ADDRESS.test(value);
}

/** The number of digits after each calling code, as "code:min-max". Others have six to eleven. */
const LENGTHS_BY_CALLING_CODE: ReadonlyMap<string, readonly [number, number]> = new Map(
  (
    "1:10-10 7:10-10 20:8-10 27:9-9 30:10-10 31:9-9 32:8-9 33:9-9 34:9-9 36:8-9 39:8-11 40:9-9 41:9-9 43:7-13 44:9-10 45:8-8 46:7-10 47:8-8 " +
    "48:9-9 49:7-12 51:8-9 52:10-11 53:8-8 54:10-11 55:10-11 56:9-9 57:10-10 58:10-10 60:8-10 61:9-9 62:8-12 63:10-10 64:8-10 65:8-8 66:8-9 " +
    "81:9-10 82:8-10 84:9-10 86:10-11 90:10-10 91:10-10 92:9-10 93:9-9 94:9-9 95:7-10 98:10-10 212:9-9 213:8-9 216:8-8 218:8-9 220:7-7 " +
    "221:9-9 225:8-10 226:8-8 233:9-9 234:8-10 237:9-9 243:9-9 250:9-9 251:9-9 254:9-10 255:9-9 256:9-9 260:9-9 263:8-10 351:9-9 352:6-11 353:7-10 " +
    "354:7-7 355:8-9 356:8-8 357:8-8 358:6-11 359:7-9 370:8-8 371:8-8 372:7-8 373:8-8 374:8-8 375:9-9 380:9-9 381:8-9 385:8-9 386:8-8 387:8-8 " +
    "389:8-8 420:9-9 421:9-9 502:8-8 503:8-8 504:8-8 505:8-8 506:8-8 507:7-8 591:8-8 593:8-9 595:9-9 598:8-8 852:8-8 853:8-8 855:8-9 880:8-10 " +
    "886:8-9 960:7-7 961:7-8 962:8-9 963:8-9 964:8-10 965:8-8 966:8-9 967:7-9 968:8-8 970:8-9 971:8-9 972:8-9 973:8-8 974:8-8 975:7-8 976:8-8 " +
    "977:8-10 992:9-9 994:9-9 995:9-9 996:9-9 998:9-9"
  )
    .split(" ")
    .map((entry) => {
      const [code = "", fewest = "", most = ""] = entry.split(/[:-]/);
      return [code, [Number(fewest), Number(most)]];
    }),
);

/** Whether the number of digits fits the calling code. */
function hasLengthOfCountry(digits: string): boolean {
  for (const size of [1, 2, 3]) {
    const bounds = LENGTHS_BY_CALLING_CODE.get(digits.slice(0, size));
    // "+44 (0)20": the zero is for national calls only.
    if (bounds !== undefined) return isWithin(digits.slice(size).replace(/^0/, ""), bounds);
  }
  return isWithin(digits.slice(3), [6, 11]);
}

function isWithin(digits: string, [fewest, most]: readonly [number, number]): boolean {
  return digits.length >= fewest && digits.length <= most;
}
