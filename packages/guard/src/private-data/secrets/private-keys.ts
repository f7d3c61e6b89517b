import type { ReportValue } from "../candidates/private-value.ts";

const HEADER = "-----BEGIN ";
const HEADER_LINE = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** Header fields that some formats have before the key. */
const FIELD = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ?[^\n\u2028\\"]{1,100}/y;
const FIELDS_MAX = 4;

/** Whether the first line of a private key may occur. */
export function hasKeyHeader(text: string): boolean {
  return text.includes(HEADER);
}

/**
 * Finds whole blocks from the first line to the last; without a last line, up to where the text no longer looks like a
 * key.
 */
export function findPrivateKeys(text: string, reportValue: ReportValue): void {
  for (let start = text.indexOf(HEADER); start !== -1; start = text.indexOf(HEADER, start + HEADER.length)) {
    const headerEnd = skipPattern(HEADER_LINE, text, start);
    if (headerEnd === start) continue;
    const bodyStart = endOfFields(text, headerEnd);
    const bodyEnd = readKeyBlock(text, bodyStart, false).end;
    // The first line alone is not a key: people ask what it means.
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

/** Line breaks, escaped or not, and the punctuation between lines that are string literals. */
const LINE_BREAKS = /(?:\s|\\{1,4}(?:[nrt]|u000[aAdD])|\\{0,4}["',+]){0,32}/y;
/** Base64 characters; a slash may be escaped. */
const KEY_CHARACTERS = /(?:[A-Za-z0-9+/=]|\\{1,4}\/){1,512}/y;
/** A shorter word may belong to the text after the key. Only the last line is short. */
const LINE_MIN = 16;
/** Between quotes, a shorter word may be the name of the next field. */
const QUOTED_LINE_MIN = 40;
const QUOTE = /["']/;
/** The checksum at the end of some formats. */
const CHECKSUM = /=[A-Za-z0-9+/]{4}/y;
const FOOTER = /-----END [A-Z0-9 ]{0,48}KEY(?: BLOCK)?-----/y;
const PARTIAL_FOOTER = /^(?:-{1,5}|-----E|-----EN|-----END|-----END [A-Z0-9 ]{0,60}-{0,4})$/;
const PARTIAL_ESCAPE = /^\\{1,4}(?:u0{0,3})?$/;
/** The maximum number of characters to wait for. */
const OPEN_MAX = 256;

interface KeyBlock {
  /** The offset up to which the text certainly belongs to the key. */
  readonly end: number;
  /** Whether the rest of the text may prove to belong to it. */
  readonly isOpen: boolean;
  /** Whether that rest may be an incomplete line. */
  readonly isCutShort: boolean;
}

/** Reads the lines of a private key and its footer. `isWithin`: earlier lines came before. */
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

/** The end of a match at `start`; `start` if there is none. */
function skipPattern(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
