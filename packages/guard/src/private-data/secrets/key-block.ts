/** What breaks a line off: breaks, escaped once or more, and the signs between lines that are strings of a program. */
export const LINE_BREAKS = /(?:\s|\\{1,4}(?:[nrt]|u000[aAdD])|\\{0,4}["',+]){0,32}/y;
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
  for (
    let next = skipPattern(KEY_CHARACTERS, text, end);
    next > end;
    next = skipPattern(KEY_CHARACTERS, text, end)
  )
    end = next;
  return end;
}

/** Where a pattern ends that begins here; here, where it does not. */
export function skipPattern(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
