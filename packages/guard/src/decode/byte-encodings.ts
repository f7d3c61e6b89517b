import type { TextRange } from "../text-range.ts";
import { measureFluency } from "./fluency.ts";
import { type DecodedSpan, type EncodingScan, isMostlyLetters, isPrintable } from "./scan-for-encodings.ts";

/** Matches only at the start of a word, so that no word is read twice. */
const BASE64_RUN = /[A-Za-z0-9+/_-]{8,}={0,2}/y;
const BASE32_RUN = /[A-Z2-7]{16,}={0,6}/y;
/** A blob is decoded by its beginning first, so that the result is the same while it is still arriving. */
const SAMPLE_CHARACTERS = 48;
const BLOB_CHARACTERS_MIN = 16;
/** Padding identifies even a short blob. */
const PADDED_CHARACTERS_MIN = 12;
/** This many bytes are not all ASCII by chance. Shorter or non-ASCII text must read as words. */
const SURE_ASCII_CHARACTERS = 16;
const ASCII_TEXT = /^[\t\r\n -~]*$/;
const BASE32_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Upper and lower case as in ordinary words, without digits. */
const WORD_CASE = /^[A-Z]?[a-z]+$|^[A-Z]+$|^[a-z]+$/;

/** Finds base64 and base32 blobs that decode to readable text. */
export function findBase64(text: string, { longTokens }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  let open: EncodedBlob | undefined;
  for (const token of longTokens) {
    const encodedBlob = findBlob(text, token);
    if (encodedBlob === undefined) continue;
    // A blob broken over several lines is one blob; all lines but the last are long.
    const joins = open !== undefined && isOnlySpace(text, open.end, encodedBlob.start);
    if (joins && open !== undefined) {
      open.end = encodedBlob.end;
      open.written += encodedBlob.written;
    } else {
      closeBlob(text, open, found);
      open = encodedBlob;
    }
  }
  closeBlob(text, open, found);
  return found;
}

interface EncodedBlob {
  readonly start: number;
  end: number;
  written: string;
}

/** The last line of a blob, too short to be detected alone. */
const LAST_LINE = /\r?\n[ \t]{0,8}([A-Za-z0-9+/_-]{1,16}={0,2})(?![^\s"'`])/y;

function closeBlob(text: string, encodedBlob: EncodedBlob | undefined, found: DecodedSpan[]): void {
  if (encodedBlob === undefined) return;
  LAST_LINE.lastIndex = encodedBlob.end;
  const last = LAST_LINE.exec(text);
  const start = encodedBlob.start;
  const end = encodedBlob.end + (last?.[0].length ?? 0);
  const written = encodedBlob.written + (last?.[1] ?? "");
  const read = decodeBase64(written, start === 0) ?? decodeBase32(written);
  if (read !== undefined) found.push({ start, end, ...read });
}

/** The first run of base64 characters in a token that is long enough. It may stand in quotes or after a colon. */
function findBlob(text: string, { start, end }: TextRange): EncodedBlob | undefined {
  for (let at = start; at < end; ) {
    BASE64_RUN.lastIndex = at;
    const written = BASE64_RUN.exec(text)?.[0];
    if (written === undefined) at = skipToNextRun(text, at, end);
    else {
      const short = written.length < (written.endsWith("=") ? PADDED_CHARACTERS_MIN : BLOB_CHARACTERS_MIN);
      if (!short) return { start: at, end: at + written.length, written };
      at += written.length;
    }
  }
  return undefined;
}

/** Skips the rest of a run that was too short, and what follows it. */
function skipToNextRun(text: string, at: number, end: number): number {
  let next = at;
  while (next < end && isBase64Character(text.charCodeAt(next))) next += 1;
  while (next < end && !isBase64Character(text.charCodeAt(next))) next += 1;
  return next;
}

function isBase64Character(code: number): boolean {
  return (
    (code > 96 && code < 123) ||
    (code > 64 && code < 91) ||
    (code > 46 && code < 58) ||
    code === 43 ||
    code === 45 ||
    code === 95
  );
}

function isOnlySpace(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (text.charCodeAt(at) > 32) return false;
  return true;
}

function decodeBase64(written: string, mayBeCut: boolean): Pick<DecodedSpan, "text" | "undone"> | undefined {
  if (WORD_CASE.test(written.slice(0, SAMPLE_CHARACTERS))) return undefined;
  // A long text is examined in pieces, and one may begin in the middle of a blob.
  for (let skipped = 0; skipped < (mayBeCut ? 4 : 1); skipped += 1) {
    const sample = decodeBase64Bytes(written.slice(skipped, skipped + SAMPLE_CHARACTERS));
    if (!isReadableText(sample)) continue;
    const whole = decodeBase64Bytes(written.slice(skipped));
    if (isReadableText(whole)) return { text: whole, undone: "base64" };
  }
  return undefined;
}

function isReadableText(decoded: string): boolean {
  if (!isPrintable(decoded)) return false;
  return (decoded.length >= SURE_ASCII_CHARACTERS && ASCII_TEXT.test(decoded)) || isMostlyLetters(decoded);
}

function decodeBase64Bytes(written: string): string {
  const bytes = Buffer.from(written, "base64");
  // In UTF-16 every second byte is zero. If the blob was cut, that may be the first byte.
  if (bytes.length > 4 && bytes[0] === 0 && bytes[2] === 0) return bytes.subarray(1).toString("utf16le");
  return bytes.toString(bytes.length > 4 && bytes[1] === 0 && bytes[3] === 0 ? "utf16le" : "utf8");
}

function decodeBase32(written: string): Pick<DecodedSpan, "text" | "undone"> | undefined {
  BASE32_RUN.lastIndex = 0;
  const matched = BASE32_RUN.exec(written)?.[0];
  if (matched === undefined || matched.length !== written.length) return undefined;
  const bytes = new Uint8Array(Math.floor((written.length * 5) / 8));
  let bits = 0;
  let held = 0;
  let length = 0;
  for (const letter of written) {
    const value = BASE32_LETTERS.indexOf(letter);
    if (value < 0) break;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[length] = (held >> bits) & 255;
      length += 1;
    }
  }
  const text = Buffer.from(bytes.subarray(0, length)).toString("utf8");
  return isPrintable(text) && isMostlyLetters(text) ? { text, undone: "base32" } : undefined;
}

/** Numbers in a row with short separators. Every gap is bounded, so that no run is read twice. */
const NUMBER_RUN = /(?:0[xbo]|\\x|x)?[0-9a-f]{1,8}(?:[\s,;:|_/.+-]{1,3}(?:0[xbo]|\\x|x)?[0-9a-f]{1,8}){5,}/gi;
/** Digits in a row without separators. */
const SOLID_RUN = /[0-9a-f]{16,}/gi;
const SEPARATORS = /[\s,;:|_/.+-]+/;
const PREFIXED = /[x\\]|0[bo]/i;
const PREFIX = /^(?:0[xbo]|\\?x)/i;
/** How many characters before the first and after the last digit may belong to a run. */
const MARGIN = 8;
const CODE_MAX = 0x10ffff;
const GROUPS_OF_A_PIECE = 128;
const SAMPLE_OCTETS = 24;
/** A run with this many bits may be cut at its start. */
const BITS_OF_A_PIECE = 1024;

interface NumberFormat {
  readonly undone: string;
  readonly base: number;
  readonly group: RegExp;
}

const BINARY: NumberFormat = { undone: "binary", base: 2, group: /^[01]{7,8}$/ };
const DECIMAL: NumberFormat = { undone: "character-codes", base: 10, group: /^\d{1,7}$/ };
const HEX: NumberFormat = { undone: "hex", base: 16, group: /^[0-9a-f]{2}$/i };
const OCTAL: NumberFormat = { undone: "character-codes", base: 8, group: /^0?[0-7]{2,3}$/ };

/** Decodes text written as character codes in hex, binary, decimal or octal. */
export function findCharacterCodes(text: string, { digitRuns }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const run of digitRuns) {
    const from = Math.max(0, run.start - MARGIN);
    const segment = text.slice(from, run.end + MARGIN);
    for (const [pattern, read] of RUN_DECODERS) {
      for (const match of segment.matchAll(pattern)) {
        const start = from + match.index;
        const piece = read(match[0]);
        if (piece !== undefined) found.push({ start, end: start + match[0].length, ...piece });
      }
    }
  }
  return found;
}

type DecodedRun = Pick<DecodedSpan, "text" | "undone">;

const RUN_DECODERS: readonly (readonly [RegExp, (run: string) => DecodedRun | undefined])[] = [
  [NUMBER_RUN, decodeNumberRun],
  [SOLID_RUN, decodeSolidRun],
];

function decodeNumberRun(run: string): DecodedRun | undefined {
  const written = run.split(SEPARATORS);
  const groups = PREFIXED.test(run) ? written.map((group) => group.replace(PREFIX, "")) : written;
  // If the text was cut, the first and the last of many numbers may be incomplete.
  return decodeNumbers(groups.length > GROUPS_OF_A_PIECE ? groups.slice(1, -1) : groups);
}

function decodeNumbers(groups: readonly string[]): DecodedRun | undefined {
  let best: DecodedRun | undefined;
  let bestFluency = Number.NEGATIVE_INFINITY;
  for (const numberFormat of [BINARY, DECIMAL, HEX, OCTAL]) {
    const text = decodeGroups(groups, numberFormat) ?? "";
    if (!isPrintable(text) || !isMostlyLetters(text)) continue;
    const { fluency } = measureFluency(text);
    if (fluency > bestFluency) best = { text, undone: numberFormat.undone };
    bestFluency = Math.max(fluency, bestFluency);
  }
  // Hex dumps group two or four bytes.
  return best ?? (groups.every((group) => group.length % 2 === 0) ? decodeSolidRun(groups.join("")) : undefined);
}

function decodeGroups(groups: readonly string[], { base, group }: NumberFormat): string | undefined {
  const codes: number[] = [];
  for (const each of groups) {
    if (!group.test(each)) return undefined;
    const code = Number.parseInt(each, base);
    if (code > CODE_MAX) return undefined;
    codes.push(code);
  }
  const bytes = base !== 10 && codes.some((code) => code > 127);
  if (bytes) return Buffer.from(codes).toString("utf8");
  let text = "";
  for (const code of codes) text += String.fromCodePoint(code);
  return text;
}

function decodeSolidRun(digits: string): DecodedRun | undefined {
  if (/^[01]+$/.test(digits.slice(0, 64)) && /^[01]+$/.test(digits)) return decodeBits(digits);
  // If the blob was cut, its first digit may be the second half of a byte.
  for (const skipped of [0, 1]) {
    const sample = Buffer.from(digits.slice(skipped, skipped + 48), "hex").toString("utf8");
    if (!isPrintable(sample) || !isMostlyLetters(sample)) continue;
    const text = Buffer.from(digits.slice(skipped), "hex").toString("utf8");
    if (isPrintable(text)) return { text, undone: "hex" };
  }
  return undefined;
}

function decodeBits(bits: string): DecodedRun | undefined {
  for (const width of [8, 7]) {
    const skipped = skippedBits(bits, width);
    if (skipped === undefined) continue;
    const text = bitsToText(bits, skipped, width);
    if (isPrintable(text) && isMostlyLetters(text)) return { text, undone: "binary" };
  }
  return undefined;
}

/** The number of bits left over from a byte that was cut off, detected on a sample. */
function skippedBits(bits: string, width: number): number | undefined {
  const most = bits.length < BITS_OF_A_PIECE ? 1 : width;
  for (let skipped = 0; skipped < most; skipped += 1) {
    const sample = bitsToText(bits.slice(0, skipped + width * SAMPLE_OCTETS), skipped, width);
    if (isPrintable(sample) && isMostlyLetters(sample)) return skipped;
  }
  return undefined;
}

function bitsToText(bits: string, skipped: number, width: number): string {
  const bytes = new Uint8Array(Math.floor((bits.length - skipped) / width));
  for (let at = 0; at < bytes.length; at += 1) {
    const start = skipped + at * width;
    bytes[at] = Number.parseInt(bits.slice(start, start + width), 2);
  }
  return Buffer.from(bytes).toString("utf8");
}
