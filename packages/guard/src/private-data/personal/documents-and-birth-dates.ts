import type { ReportValue } from "../candidates/private-value.ts";
import { textBefore } from "../candidates/scan-text.ts";
import { digitAt, weightedSum } from "./id-checks.ts";

const PASSPORT =
  /passport|reisepass|passeport|pasaporte|passaporto|passaporte|paspoort|pasaport|паспорт|护照|旅券|여권/i;
const LICENCE =
  /driv(?:er'?s?|ing) ?-?licen[cs]e|führerschein|permis de conduire|carnet de conducir|licencia de conduc|patente di guida|carteira de motorista|\bCNH\b|rijbewijs/i;
const IDENTITY_CARD = /personalausweis|ausweisnummer|carte d'identité|carta d'identità|identity card|id card/i;
const ROUTING = /routing|\baba\b|\brtn\b/i;
const SORT_CODE = /sort ?code/i;
/** A document number: letters and digits, mostly digits. */
const NUMBER = /(?<![A-Za-z0-9])(?=[A-Z]{0,3}[0-9])[A-Z0-9]{6,14}(?![A-Za-z0-9])/;
const UK_LICENCE = /(?<![A-Za-z0-9])[A-Z9]{5} ?\d[0156]\d(?:[0-2]\d|3[01])\d ?[A-Z9]{2}\d[A-Z]{2}(?![A-Za-z0-9])/;
const US_ROUTING = /(?<![\d-])\d{9}(?![\d-])/;
const UK_SORT_CODE = /(?<![\d-])\d{2}([- ])\d{2}\1\d{2}(?![\d-])/;

/** Finds passports, driving licences and bank details. Their formats are ambiguous, so a label is required. */
export function findDocuments(segment: string, offset: number, text: string, reportValue: ReportValue): void {
  const licence = UK_LICENCE.exec(segment);
  if (licence !== null) {
    reportValue("driver_license", 0.7, offset + licence.index, offset + licence.index + licence[0].length);
    return;
  }
  const first = /[A-Z0-9]/.exec(segment)?.index ?? 0;
  const before = textBefore(text, offset + first, 32);
  const kind = PASSPORT.test(before)
    ? "passport"
    : LICENCE.test(before)
      ? "driver_license"
      : IDENTITY_CARD.test(before)
        ? "national_id"
        : undefined;
  if (kind !== undefined) {
    const number = NUMBER.exec(segment);
    if (number !== null && number[0].replace(/\D/g, "").length >= 5)
      reportValue(kind, 0.6, offset + number.index, offset + number.index + number[0].length);
    return;
  }
  const routing = ROUTING.test(before) ? US_ROUTING.exec(segment) : null;
  const account = routing ?? (SORT_CODE.test(before) ? UK_SORT_CODE.exec(segment) : null);
  if (account === null || (routing !== null && !isRoutingNumber(routing[0]))) return;
  reportValue("bank_account", 0.6, offset + account.index, offset + account.index + account[0].length);
}

function isRoutingNumber(digits: string): boolean {
  return digitAt(digits, 0) <= 3 && weightedSum(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0;
}

const BIRTH_LABEL =
  /\b(?:born|birth|birthdate|birthday|dob|d\.o\.b\.?|geboren|geb\.|geburtsdatum|née?|naissance|nacimiento|nacid[oa]|fecha de nac|nascita|nat[oa] il|nascimento|nascid[oa]|doğum|urodz|geboortedatum|född|дата рождения|родил)|出生|生年月日|생년월일/i;
const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott)[a-zäéûç]{0,7}\\.?";
const DATES: readonly RegExp[] = [
  /(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d{2}$/,
  /(?<!\d)(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\1\d{2}$/,
  /(?:19|20)\d{2}([-./])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/,
  new RegExp(`(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th|\\.)? (?:of |de )?${MONTH},? (?:de )?(?:19|20)\\d{2}$`, "i"),
  new RegExp(`${MONTH} (?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?,? (?:19|20)\\d{2}$`, "i"),
];
const YEAR_AT_END = /(?:19|20)\d{2}(?:[-./]\d{2}[-./]\d{2})?$|\d[-./]\d{1,2}[-./]\d{2}$/;
const LABEL_REACH = 32;
/** The longest date in words. */
const DATE_REACH = 28;

/** Finds dates right after a label about birth. */
export function findDatesOfBirth(segment: string, offset: number, text: string, reportValue: ReportValue): void {
  const trimmed = segment.replace(/[^\d]+$/, "");
  const end = offset + trimmed.length;
  const before = textBefore(text, end, 60);
  if (!YEAR_AT_END.test(trimmed) || !BIRTH_LABEL.test(before)) return;
  const last = before.slice(-DATE_REACH);
  for (const form of DATES) {
    const date = form.exec(last)?.[0];
    if (date === undefined || !BIRTH_LABEL.test(before.slice(0, before.length - date.length).slice(-LABEL_REACH)))
      continue;
    reportValue("date_of_birth", 0.6, end - date.length, end);
    return;
  }
}
