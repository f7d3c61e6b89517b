import type { ReportValue } from "../private-value.ts";
import { LINE_BREAKS, readKeyBlock, skipPattern } from "./key-block.ts";

const HEADER = "-----BEGIN ";
const HEADER_LINE = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** The lines that some forms have before the key. */
const FIELD = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n\u2028\\"]{1,100}/y;
const FIELDS_MAX = 4;

/** Whole blocks from the first line to the last; where the last is missing, to where it no longer reads like a key. */
export function findPrivateKeys(text: string, reportValue: ReportValue): void {
  for (let start = text.indexOf(HEADER); start !== -1; start = text.indexOf(HEADER, start + HEADER.length)) {
    const headerEnd = skipPattern(HEADER_LINE, text, start);
    if (headerEnd === start) continue;
    const bodyStart = endOfFields(text, headerEnd);
    const bodyEnd = readKeyBlock(text, bodyStart, false).end;
    // The first line alone is no key: people ask what it means.
    if (bodyEnd === bodyStart) reportValue("private_key", 0.4, start, headerEnd);
    else reportValue("private_key", 0.98, start, bodyEnd);
  }
  findAgeKeys(text, reportValue);
}

function endOfFields(text: string, start: number): number {
  let end = start;
  for (let fields = 0; fields < FIELDS_MAX; fields += 1) {
    const field = skipPattern(LINE_BREAKS, text, end);
    const next = skipPattern(FIELD, text, field);
    if (next === field) break;
    end = next;
  }
  return end;
}

const AGE = "AGE-SECRET-KEY-1";
const AGE_KEY = /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/y;

function findAgeKeys(text: string, reportValue: ReportValue): void {
  for (let start = text.indexOf(AGE); start !== -1; start = text.indexOf(AGE, start + AGE.length)) {
    const end = skipPattern(AGE_KEY, text, start);
    if (end > start) reportValue("private_key", 0.98, start, end);
  }
}
