import type { Note } from "../private-datum.ts";

const HEADER = "-----BEGIN ";
const HEADER_LINE = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** What stands between the first line and the key: line breaks, escaped or not, and the lines that some forms have there. */
const PREAMBLE =
  /(?:\s|\\[nr]|["',+]){0,12}(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n]{1,100}\n\s{0,4}){0,4}/y;
/** A line of a key, with what breaks it off. Only the last one is short. */
const LINE = /([A-Za-z0-9+/=]{16,512})(?:\s|\\[nr]|["',+]){0,8}/y;
const LAST_LINE =
  /=?[A-Za-z0-9+/]{0,64}={0,2}(?:\s|\\[nr]|["',+]){0,8}(?:=[A-Za-z0-9+/]{4}\s{0,4})?(?=-----END)/y;
const FOOTER_LINE = /-----END [A-Z0-9 ]{0,48}KEY(?: BLOCK)?-----/y;
const LINES_MAX = 400;

/** Whole blocks from the first line to the last; where the last is missing, to where it no longer reads like a key. */
export function findPrivateKeys(text: string, note: Note): void {
  for (let start = text.indexOf(HEADER); start !== -1; start = text.indexOf(HEADER, start + HEADER.length)) {
    const headerEnd = endOf(HEADER_LINE, text, start);
    if (headerEnd === undefined) continue;
    const bodyStart = endOf(PREAMBLE, text, headerEnd) ?? headerEnd;
    const bodyEnd = endOfLines(text, bodyStart);
    // The first line alone is no key: people ask what it means.
    if (bodyEnd === bodyStart) note("private_key", 0.4, start, headerEnd);
    else note("private_key", 0.98, start, endOfBlock(text, bodyEnd));
  }
  findAgeKeys(text, note);
}

function endOfLines(text: string, start: number): number {
  let end = start;
  let next: number | undefined = start;
  for (let lines = 0; lines < LINES_MAX && next !== undefined; lines += 1) {
    end = next;
    next = endOf(LINE, text, end);
  }
  return end;
}

function endOfBlock(text: string, end: number): number {
  const footer = endOf(LAST_LINE, text, end) ?? end;
  return endOf(FOOTER_LINE, text, footer) ?? end;
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const AGE = "AGE-SECRET-KEY-1";
const AGE_KEY = /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/y;

function findAgeKeys(text: string, note: Note): void {
  for (let start = text.indexOf(AGE); start !== -1; start = text.indexOf(AGE, start + AGE.length)) {
    const end = endOf(AGE_KEY, text, start);
    if (end !== undefined) note("private_key", 0.98, start, end);
  }
}
