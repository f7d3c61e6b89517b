import { STEP_CHARACTERS, type Steps } from "../../resumable.ts";
import { isOfAThing, wordsAround } from "../cues.ts";
import type { Note } from "../private-value.ts";
import type { IdForm } from "./id-form.ts";
import { AMERICAN_IDS } from "./national-ids-americas.ts";
import { EUROPEAN_IDS } from "./national-ids-europe.ts";
import { ASIAN_IDS } from "./national-ids-rest-of-world.ts";

const FORMS = [...EUROPEAN_IDS, ...AMERICAN_IDS, ...ASIAN_IDS].map((form) => ({
  ...form,
  capitals: form.capitals ?? 0,
  matcher: new RegExp(`(?<![A-Za-z0-9]|\\d[.,-])(?:${form.pattern})(?![A-Za-z0-9]|[.,-]\\d)`, "g"),
}));
const CALLED = 0.85;

export interface NumberPlace {
  readonly stretch: string;
  readonly digits: number;
  readonly capitals: number;
  readonly offset: number;
  readonly text: string;
}

/** Numbers by which states know their people: a right check, and words about it or a form of its own. */
export function* findNationalIds(
  { stretch, digits, capitals, offset, text }: NumberPlace,
  note: Note,
): Steps<void> {
  for (const form of FORMS) {
    if (digits < form.digits || capitals < form.capitals) continue;
    if (stretch.length >= STEP_CHARACTERS) yield;
    for (const { 0: value, index } of stretch.matchAll(form.matcher)) {
      const compact = value.replace(/[^A-Z0-9]/g, "");
      if (!form.isValid(compact)) continue;
      const start = offset + index;
      const weight = weightOf(form, value, compact, text, start);
      if (weight !== undefined) note("national_id", weight, start, start + value.length);
    }
  }
}

function weightOf(
  { cue, alone, aloneWithJoints }: IdForm,
  value: string,
  compact: string,
  text: string,
  start: number,
): number | undefined {
  if (cue.test(wordsAround(text, start, start + value.length))) return CALLED;
  if (alone === undefined || isOfAThing(text, start)) return undefined;
  return aloneWithJoints === true && value.length === compact.length ? undefined : alone;
}
