import { RESUMABLE_MIN_CHARACTERS, type Resumable } from "../../resumable.ts";
import { isReferenceNumber, textAround } from "../cues.ts";
import type { ReportValue } from "../private-value.ts";
import type { NationalIdFormat } from "./id-form.ts";
import { AMERICAN_ID_FORMATS } from "./national-ids-americas.ts";
import { EUROPEAN_ID_FORMATS } from "./national-ids-europe.ts";
import { REST_OF_WORLD_ID_FORMATS } from "./national-ids-rest-of-world.ts";

const FORMATS = [...EUROPEAN_ID_FORMATS, ...AMERICAN_ID_FORMATS, ...REST_OF_WORLD_ID_FORMATS].map((form) => ({
  ...form,
  capitals: form.capitals ?? 0,
  matcher: new RegExp(`(?<![A-Za-z0-9]|\\d[.,-])(?:${form.pattern})(?![A-Za-z0-9]|[.,-]\\d)`, "g"),
}));
const KEYWORD_WEIGHT = 0.85;

export interface NumberCandidate {
  readonly stretch: string;
  readonly digits: number;
  readonly capitals: number;
  readonly offset: number;
  readonly text: string;
}

/** Numbers by which states know their people: a right check, and words about it or a form of its own. */
export function* findNationalIds(
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
