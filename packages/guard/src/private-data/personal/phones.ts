import { isReferenceNumber, textBefore } from "../cues.ts";
import type { ReportValue } from "../private-value.ts";
import { hasLengthOfCountry } from "./calling-codes.ts";

const INTERNATIONAL =
  /(?<![\d+A-Za-z])(?:\+|00(?=[1-9]\d{0,2}[ .\-/()]))[1-9]\d{0,2}(?:[ .\-/]{0,2}\(?\d{1,6}\)?){1,7}(?![\d]|[.,:]\d)/g;
/** Ten digits as they are grouped in North America; the area never begins with 0 or 1. */
const NORTH_AMERICAN =
  /(?<![\d+A-Za-z.\-/])(?:1[ .-])?(?:\([2-9]\d{2}\) ?\d{3}[ .-]\d{4}|[2-9]\d{2}-[1-9]\d{2}-\d{4}|[2-9]\d{2}\.[2-9]\d{2}\.\d{4})(?![\d]|[.,-]\d)/g;
/** A trunk zero, then groups. */
const TRUNK_ZERO =
  /(?<![\d+A-Za-z.,\-/])\(?0[1-9]\d{0,4}\)?(?: ?[-/.] ?| )\d{2,8}(?:[ .-]\d{2,4}){0,4}(?![\d]|[.,:/ -]\d)/g;
/** Mobile numbers of countries without a trunk zero, as they are grouped there. */
const GROUPED =
  /(?<![\d+A-Za-z.,\-/])(?:\(\d{2}\) ?9?\d{4}-\d{4}|1[3-9]\d([ -])\d{4}\1\d{4}|[6-9]\d{4}[ -]\d{5})(?![\d]|[.,-]\d)/g;
/** Whatever digits right after words about phones. */
const LABELLED = /(?<![\w+.,\-/])\(?\d(?:[ .-]{0,2}[()]?\d){6,13}(?![\d]|[.,:]\d)/g;

const PHONE_LABEL =
  /(?<![a-zà-ÿ])(?:phones?|(?:mobile|cell|home|work|office)(?: number)?|tel[ée]?(?:fon|phone|fono|fone|foon)?\w{0,8}|mobil|call(?:s|ed|ing)?(?: \w{1,12})?(?: (?:at|on|under))?|(?:text|reach|ring|dial|contact) (?:me|us|him|her|them|at|on)(?: (?:at|on|via))?|sms|whats ?app|fax|handy|portable|móvil|celular|cellulare|rufnummer|fijo|festnetz|num+er(?: do \w{1,12})?|komórk\w{0,4}|gsm|hotline|llám\w{0,5}|llama\w{0,5}|appel\w{0,4}|anruf\w{0,4}|chiama\w{0,4}|ligue|bel|contact number)[^a-z\d]{0,6}(?:(?:is|ist|es|est|é|è|number|no|nr|nummer)[^a-z\d]{0,4}){0,2}$|(?:电话|手机|電話|携帯|전화|휴대폰|телефон|моб|тел|फोन|मोबाइल)[^\d]{0,12}$/i;
const LEADING_DATE = /^\(?(?:\d{4}[-./ ]\d{2}[-./ ]\d{2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d{2})/;

/** Phone numbers: those that say their country, those grouped as nothing else is, and those that words announce. */
export function findPhones(stretch: string, offset: number, text: string, reportValue: ReportValue): void {
  const take = (
    pattern: RegExp,
    weight: number,
    isPhone: (digits: string, start: number, value: string) => boolean,
  ) => {
    for (const { 0: match, index } of stretch.matchAll(pattern)) {
      const value = match.replace(/[ .\-/(]+$/, "");
      const start = offset + index;
      if (isPhone(value.replace(/\D/g, ""), start, value))
        reportValue("phone", weight, start, start + value.length);
    }
  };
  take(INTERNATIONAL, 0.7, (digits, _start, value) =>
    value.startsWith("+")
      ? hasLengthOfCountry(digits)
      : hasLengthOfCountry(digits.slice(2)) && !/[^\d]00.*[^\d]00/.test(value),
  );
  const isNobodyElses = (start: number, value: string) =>
    !LEADING_DATE.test(value) && !isReferenceNumber(text, start);
  take(NORTH_AMERICAN, 0.65, (_digits, start, value) => isNobodyElses(start, value));
  take(
    TRUNK_ZERO,
    0.6,
    (digits, start, value) => hasTrunkLength(digits, value) && isNobodyElses(start, value),
  );
  take(GROUPED, 0.6, (_digits, start, value) => isNobodyElses(start, value));
  take(
    LABELLED,
    0.6,
    (digits, start, value) =>
      isLabelledAsPhone(text, start) && isNobodyElses(start, value) && !isOtherNumber(digits, value),
  );
}

/** Nine to eleven digits, twelve in two groups; with dots only as in France; and not grouped as some national ids are. */
function hasTrunkLength(digits: string, value: string): boolean {
  const most = /^\D?\d+\D+\d+$/.test(value) ? 12 : 11;
  if (digits.length < 9 || digits.length > most || /^(?:\d{3}-\d{2}-\d{4}|\d{6}-\d{4})$/.test(value))
    return false;
  return !value.includes(".") || /^0\d(?:\.\d{2}){4}$/.test(value);
}

function isLabelledAsPhone(text: string, start: number): boolean {
  return PHONE_LABEL.test(textBefore(text, start, 40));
}

const NETWORK_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const YEARS = /^\(?(?:1[5-9]|20)\d{2}[-/ ]{1,3}(?:1[5-9]|20)?\d{2}$/;
const COMPACT_DATE = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$/;

/** What has as many digits, and is read otherwise by everybody. */
function isOtherNumber(digits: string, value: string): boolean {
  return (
    /^[01]+$/.test(digits) || COMPACT_DATE.test(digits) || YEARS.test(value) || NETWORK_ADDRESS.test(value)
  );
}
