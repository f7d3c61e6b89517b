import type { Note } from "../private-value.ts";
import { BREAK, readBlock, skip } from "./key-block.ts";

const HEADER = "-----BEGIN ";
const HEADER_LINE = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** The lines that some forms have before the key. */
const FIELD = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n\u2028\\"]{1,100}/y;
const FIELDS_MAX = 4;

/** Whole blocks from the first line to the last; where the last is missing, to where it no longer reads like a key. */
export function findPrivateKeys(text: string, note: Note): void {
  for (let start = text.indexOf(HEADER); start !== -1; start = text.indexOf(HEADER, start + HEADER.length)) {
    const headerEnd = skip(HEADER_LINE, text, start);
    if (headerEnd === start) continue;
    const bodyStart = endOfFields(text, headerEnd);
    const bodyEnd = readBlock(text, bodyStart, false).end;
    // The first line alone is no key: people ask what it means.
    if (bodyEnd === bodyStart) note("private_key", 0.4, start, headerEnd);
    else note("private_key", 0.98, start, bodyEnd);
  }
  findAgeKeys(text, note);
}

function endOfFields(text: string, start: number): number {
  let end = start;
  for (let fields = 0; fields < FIELDS_MAX; fields += 1) {
    const field = skip(BREAK, text, end);
    const next = skip(FIELD, text, field);
    if (next === field) break;
    end = next;
  }
  return end;
}

const AGE = "AGE-SECRET-KEY-1";
const AGE_KEY = /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/y;

function findAgeKeys(text: string, note: Note): void {
  for (let start = text.indexOf(AGE); start !== -1; start = text.indexOf(AGE, start + AGE.length)) {
    const end = skip(AGE_KEY, text, start);
    if (end > start) note("private_key", 0.98, start, end);
  }
}
