import type { ReportValue } from "../private-value.ts";

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

/** What breaks a line off: breaks, escaped once or more, and the signs between lines that are strings of a program. */
const LINE_BREAKS = /(?:\s|\\{1,4}(?:[nrt]|u000[aAdD])|\\{0,4}["',+]){0,32}/y;
/** A key's own characters; a slash may be escaped. */
const KEY_CHARACTERS = /(?:[A-Za-z0-9+/=]|\\{1,4}\/){1,512}/y;
/** A shorter word may be of what comes after the key. Only the last line is short. */
const LINE_MIN = 16;
/** Between quotes the name of the next field may stand as well. */
const QUOTED_LINE_MIN = 40;
const QUOTE = /["']/;
/** The sum that some forms end with. */
const CHECKSUM = /=[A-Za-z0-9+/]{4}/y;
const FOOTER = /-----END [A-Z0-9 ]{0,48}KEY(?: BLOCK)?-----/y;
const PARTIAL_FOOTER = /^(?:-{1,5}|-----E|-----EN|-----END|-----END [A-Z0-9 ]{0,60}-{0,4})$/;
const PARTIAL_ESCAPE = /^\\{1,4}(?:u0{0,3})?$/;
/** No more than this is waited for. */
const OPEN_MAX = 256;

interface KeyBlock {
  /** Up to where it is of the key for sure. */
  readonly end: number;
  /** Whether what stands there, up to the end of the text, may prove to be of it as well. */
  readonly isOpen: boolean;
  /** Whether that may be a line of which the end is missing. */
  readonly isCutShort: boolean;
}

/** Reads the lines of a private key and the one that ends it. `isWithin`: lines of it stand before. */
export function readKeyBlock(text: string, start: number, isWithin: boolean): KeyBlock {
  let end = isWithin ? skipRuns(text, start) : start;
  for (;;) {
    const line = skipPattern(LINE_BREAKS, text, end);
    const lineEnd = skipRuns(text, line);
    const isQuoted = QUOTE.test(text.slice(end, line));
    if (lineEnd - line < (isQuoted ? QUOTED_LINE_MIN : LINE_MIN)) break;
    end = lineEnd;
  }
  if (end === start && !isWithin) return { end, isOpen: false, isCutShort: false };
  return withFooter(text, end);
}

function withFooter(text: string, end: number): KeyBlock {
  const line = skipPattern(LINE_BREAKS, text, end);
  const lineEnd = skipPattern(KEY_CHARACTERS, text, line);
  const sum = skipPattern(CHECKSUM, text, skipPattern(LINE_BREAKS, text, lineEnd));
  const footer = skipPattern(LINE_BREAKS, text, sum);
  const footerEnd = skipPattern(FOOTER, text, footer);
  if (footerEnd > footer) return { end: footerEnd, isOpen: false, isCutShort: false };
  const rest = text.slice(footer);
  const isOpen =
    text.length - end <= OPEN_MAX && (rest === "" || PARTIAL_FOOTER.test(rest) || PARTIAL_ESCAPE.test(rest));
  const afterLine = text.slice(lineEnd);
  return { end, isOpen, isCutShort: lineEnd > line && (afterLine === "" || PARTIAL_ESCAPE.test(afterLine)) };
}

function skipRuns(text: string, start: number): number {
  let end = start;
  for (let next = skipPattern(KEY_CHARACTERS, text, end); next > end; next = skipPattern(KEY_CHARACTERS, text, end))
    end = next;
  return end;
}

/** Where a pattern ends that begins here; here, where it does not. */
function skipPattern(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
