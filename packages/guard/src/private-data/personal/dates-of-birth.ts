import { textBefore } from "../cues.ts";
import type { ReportValue } from "../private-value.ts";

const BIRTH_LABEL =
  /\b(?:born|birth|birthdate|birthday|dob|d\.o\.b\.?|geboren|geb\.|geburtsdatum|née?|naissance|nacimiento|nacid[oa]|fecha de nac|nascita|nat[oa] il|nascimento|nascid[oa]|doğum|urodz|geboortedatum|född|дата рождения|родил)|出生|生年月日|생년월일/i;
const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott)[a-zäéûç]{0,7}\\.?";
const DATES: readonly RegExp[] = [
  /(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d{2}$/,
  /(?<!\d)(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|[12]\d|3[01])\1\d{2}$/,
  /(?:19|20)\d{2}([-./])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/,
  new RegExp(
    `(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th|\\.)? (?:of |de )?${MONTH},? (?:de )?(?:19|20)\\d{2}$`,
    "i",
  ),
  new RegExp(`${MONTH} (?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?,? (?:19|20)\\d{2}$`, "i"),
];
const YEAR_AT_END = /(?:19|20)\d{2}(?:[-./]\d{2}[-./]\d{2})?$|\d[-./]\d{1,2}[-./]\d{2}$/;
const LABEL_REACH = 32;
/** The longest date in words. */
const DATE_REACH = 28;

/** Dates right after words about birth. */
export function findDatesOfBirth(
  stretch: string,
  offset: number,
  text: string,
  reportValue: ReportValue,
): void {
  const trimmed = stretch.replace(/[^\d]+$/, "");
  const end = offset + trimmed.length;
  const before = textBefore(text, end, 60);
  if (!YEAR_AT_END.test(trimmed) || !BIRTH_LABEL.test(before)) return;
  const last = before.slice(-DATE_REACH);
  for (const form of DATES) {
    const date = form.exec(last)?.[0];
    if (
      date === undefined ||
      !BIRTH_LABEL.test(before.slice(0, before.length - date.length).slice(-LABEL_REACH))
    )
      continue;
    reportValue("date_of_birth", 0.6, end - date.length, end);
    return;
  }
}
