/** What breaks a line off: breaks, escaped once or more, and the signs between lines that are strings of a program. */
export const BREAK = /(?:\s|\\{1,4}(?:[nrt]|u000[aAdD])|\\{0,4}["',+]){0,32}/y;
/** A key's own characters; a slash may be escaped. */
const RUN = /(?:[A-Za-z0-9+/=]|\\{1,4}\/){1,512}/y;
/** A shorter word may be of what comes after the key. Only the last line is short. */
const LINE_MIN = 16;
/** Between quotes the name of the next field may stand as well. */
const QUOTED_LINE_MIN = 40;
const QUOTE = /["']/;
/** The sum that some forms end with. */
const SUM = /=[A-Za-z0-9+/]{4}/y;
const FOOTER = /-----END [A-Z0-9 ]{0,48}KEY(?: BLOCK)?-----/y;
const FOOTER_BEGUN = /^(?:-{1,5}|-----E|-----EN|-----END|-----END [A-Z0-9 ]{0,60}-{0,4})$/;
const ESCAPE_BEGUN = /^\\{1,4}(?:u0{0,3})?$/;
/** No more than this is waited for. */
const OPEN_MAX = 256;

interface Block {
  /** Up to where it is of the key for sure. */
  readonly end: number;
  /** Whether what stands there, up to the end of the text, may prove to be of it as well. */
  readonly isOpen: boolean;
  /** Whether that may be a line of which the end is missing. */
  readonly isCutShort: boolean;
}

/** Reads the lines of a private key and the one that ends it. `isWithin`: lines of it stand before. */
export function readBlock(text: string, start: number, isWithin: boolean): Block {
  let end = isWithin ? skipRuns(text, start) : start;
  for (;;) {
    const line = skip(BREAK, text, end);
    const lineEnd = skipRuns(text, line);
    const isQuoted = QUOTE.test(text.slice(end, line));
    if (lineEnd - line < (isQuoted ? QUOTED_LINE_MIN : LINE_MIN)) break;
    end = lineEnd;
  }
  if (end === start && !isWithin) return { end, isOpen: false, isCutShort: false };
  return withFooter(text, end);
}

function withFooter(text: string, end: number): Block {
  const line = skip(BREAK, text, end);
  const lineEnd = skip(RUN, text, line);
  const sum = skip(SUM, text, skip(BREAK, text, lineEnd));
  const footer = skip(BREAK, text, sum);
  const footerEnd = skip(FOOTER, text, footer);
  if (footerEnd > footer) return { end: footerEnd, isOpen: false, isCutShort: false };
  const rest = text.slice(footer);
  const isOpen =
    text.length - end <= OPEN_MAX && (rest === "" || FOOTER_BEGUN.test(rest) || ESCAPE_BEGUN.test(rest));
  const afterLine = text.slice(lineEnd);
  return { end, isOpen, isCutShort: lineEnd > line && (afterLine === "" || ESCAPE_BEGUN.test(afterLine)) };
}

function skipRuns(text: string, start: number): number {
  let end = start;
  for (let next = skip(RUN, text, end); next > end; next = skip(RUN, text, end)) end = next;
  return end;
}

/** Where a pattern ends that begins here; here, where it does not. */
export function skip(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
