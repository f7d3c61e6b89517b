import { NONE, withAdded } from "@trunkline/core/small-list.ts";
import { codesOf } from "../../text-codes.ts";
import type { TextRange } from "../../text-range.ts";

/** Digits, capitals and the separators between them. */
export interface NumberRange extends TextRange {
  readonly digits: number;
  readonly capitals: number;
}

/** The candidates for private data in a text. Most texts have none. */
export interface ScanResult {
  readonly numbers: readonly NumberRange[];
  /** Long words of letters, digits, hyphens and underscores. */
  readonly longWords: readonly TextRange[];
  readonly atSigns: readonly number[];
  /** Colons and equals signs. */
  readonly assignments: readonly number[];
  /** Opening brackets before "at". */
  readonly atBrackets: readonly number[];
  /** Spaces before a spoken "dot". */
  readonly spokenDots: readonly number[];
  /** Words for "password", from their second letter on. */
  readonly passwordWords: readonly number[];
}

/** No key is shorter. */
const WORD_MIN = 16;
/** No relevant number has fewer digits. */
const DIGITS_MIN = 4;

const DIGIT = 1;
const CAPITAL = 2;
const SEPARATOR = 4;
const WORD = 8;
const SIGN = 16;
const IN_NUMBERS = DIGIT | CAPITAL | SEPARATOR;

const CLASSES = classes();

/** Covers every UTF-16 unit, so that a lookup needs no bounds check. */
function classes(): Uint8Array {
  const table = new Uint8Array(65_536);
  const mark = (characters: string, bits: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = bits;
  };
  mark("abcdefghijklmnopqrstuvxyz_", WORD);
  mark("w", WORD | SIGN);
  mark("ABCDEFGHIJKLMNOPQRSTUVWXYZ", WORD | CAPITAL);
  mark("0123456789", WORD | DIGIT);
  mark("-", WORD | SEPARATOR);
  mark("./)+", SEPARATOR);
  // Non-breaking spaces and hyphens, and dashes, as word processors put them into numbers.
  mark("\u00a0\u202f\u2010\u2011\u2012\u2013", SEPARATOR);
  // As East Asian keyboards write numbers.
  mark("０１２３４５６７８９", DIGIT);
  mark("\u3000－．／（）＋", SEPARATOR);
  mark("@:=[{ñ", SIGN);
  mark(" (", SIGN | SEPARATOR);
  return table;
}

/** Lists are made when there is something to add: most texts have no candidate. */
class ScanCollector implements ScanResult {
  numbers: readonly NumberRange[] = NONE;
  longWords: readonly TextRange[] = NONE;
  atSigns: readonly number[] = NONE;
  assignments: readonly number[] = NONE;
  atBrackets: readonly number[] = NONE;
  spokenDots: readonly number[] = NONE;
  passwordWords: readonly number[] = NONE;
}

/** Scans the text once and collects the candidates. undefined: there is none. */
export function scanText(text: string): ScanResult | undefined {
  let found: ScanCollector | undefined;
  let wordBreak = -1;
  let numberBreak = -1;
  let digits = 0;
  let capitals = 0;
  const codes = codesOf(text);
  const end = text.length;
  for (let at = 0; at < end; at += 1) {
    const code = codes[at] ?? 0;
    const bits = CLASSES[code] ?? 0;
    if ((bits & IN_NUMBERS) === 0) {
      if (digits >= DIGITS_MIN) found = withNumber(found, numberBreak + 1, at, digits, capitals);
      numberBreak = at;
      digits = 0;
      capitals = 0;
      // A lower-case letter, by far the most common.
      if (bits === WORD) continue;
    } else {
      digits += bits & DIGIT;
      capitals += (bits & CAPITAL) >> 1;
    }
    if ((bits & WORD) === 0) {
      if (at - wordBreak > WORD_MIN) found = withLongWord(found, wordBreak + 1, at);
      wordBreak = at;
    }
    if ((bits & SIGN) !== 0) found = withSign(found, text, at, code);
  }
  if (digits >= DIGITS_MIN) found = withNumber(found, numberBreak + 1, end, digits, capitals);
  if (end - wordBreak > WORD_MIN) found = withLongWord(found, wordBreak + 1, end);
  return found;
}

function withNumber(
  before: ScanCollector | undefined,
  start: number,
  end: number,
  digits: number,
  capitals: number,
): ScanCollector {
  const found = before ?? new ScanCollector();
  found.numbers = withAdded(found.numbers, { start, end, digits, capitals });
  return found;
}

function withLongWord(before: ScanCollector | undefined, start: number, end: number): ScanCollector {
  const found = before ?? new ScanCollector();
  found.longWords = withAdded(found.longWords, { start, end });
  return found;
}

function withSign(
  before: ScanCollector | undefined,
  text: string,
  at: number,
  code: number,
): ScanCollector | undefined {
  const list = listOfSign(text, at, code);
  if (list === undefined) return before;
  const found = before ?? new ScanCollector();
  found[list] = withAdded(found[list], list === "passwordWords" ? at - (code === 119 ? 3 : 7) : at);
  return found;
}

/** Which list a sign belongs to; undefined: what is around it makes it no candidate. */
function listOfSign(
  text: string,
  at: number,
  code: number,
): "spokenDots" | "atSigns" | "assignments" | "passwordWords" | "atBrackets" | undefined {
  switch (code) {
    case 32:
      return text.charCodeAt(at + 1) === 100 && text.startsWith("dot ", at + 1) ? "spokenDots" : undefined;
    case 64:
      return "atSigns";
    case 58:
    case 61:
      return "assignments";
    case 119: {
      const before = text.charCodeAt(at - 1);
      // "assw" or "ennw".
      if (before !== 115 && before !== 110) return undefined;
      return text.startsWith("ass", at - 3) || text.startsWith("enn", at - 3) ? "passwordWords" : undefined;
    }
    case 0xf1:
      return text.startsWith("ontrase", at - 7) ? "passwordWords" : undefined;
    default:
      return isSpelledAt(text, at + 1) ? "atBrackets" : undefined;
  }
}

function isSpelledAt(text: string, place: number): boolean {
  const at = text.charCodeAt(place) === 32 ? place + 1 : place;
  return (text.charCodeAt(at) | 32) === 97 && (text.charCodeAt(at + 1) | 32) === 116;
}

const NO_MATCHES: readonly RegExpExecArray[] = [];

/** All matches of a global pattern. `matchAll` would copy the pattern, which costs more than most searches. */
export function matchesIn(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  pattern.lastIndex = 0;
  const first = pattern.exec(text);
  if (first === null) return NO_MATCHES;
  const matches = [first];
  for (let next = pattern.exec(text); next !== null; next = pattern.exec(text)) matches.push(next);
  return matches;
}

/** The number of characters before a value that may hold its label. */
const LABEL_REACH = 48;

/** The text before an offset that may label a value. */
export function textBefore(text: string, place: number, reach = LABEL_REACH): string {
  return text.slice(Math.max(0, place - reach), place);
}

/** The text around a value. */
export function textAround(text: string, start: number, end: number): string {
  return `${textBefore(text, start)} ${text.slice(end, end + 24)}`;
}

const REFERENCE_LABELS =
  "orders?|invoices?|rechnung|facture|pedido|auftrag|ref|reference|tickets?|cases?|tracking|shipment|parcel|isbn|issn|ean|gtin|upc|asin|doi|serial|s/n|sn|version|v|build|sku|parts?|models?|batch|lot|po|article|transaction|txn|flight|booking|timestamp|epoch|pid|port|commit|issue|bug|rev|revision|row|line|page|chapter|section|seed|hash|checksum|barcode|code|coupon|voucher|product|item|job|run|request|session|trace|span|message|rfc|iso|din|customer|client|member|cliente|client|account|konto|compte|cuenta|policy|contract|student|employee";
/** Languages that write such labels as one word. */
const GERMANIC_REFERENCE_LABELS =
  "(?:kunden|auftrags|bestell|rechnungs|artikel|serien|vertrags|sendungs|mitglieds|vorgangs|akten|klant|order|ordre|kund)-?(?:nummer|nr\\.?|zeichen)";
const REFERENCE_LABEL = new RegExp(
  `(?:^|[^a-z])(?:${REFERENCE_LABELS}|${GERMANIC_REFERENCE_LABELS})[ _-]?(?:numbers?|num|no\\.?|nr\\.?|ids?|code|#|№)?["'\\s]{0,3}(?:[:#=]|is|was)?["'\\s#]{0,3}$`,
  "i",
);

/** Whether the label before a number says that it identifies a thing, not a person. */
export function isReferenceNumber(text: string, place: number): boolean {
  return REFERENCE_LABEL.test(textBefore(text, place, 32));
}
