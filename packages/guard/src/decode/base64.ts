import { isPrintable, isWordy, type Piece } from "./piece.ts";
import type { Stretch, Survey } from "./survey.ts";

/** Begins where a word begins, so that no word is read more than once. */
const BLOB = /[A-Za-z0-9+/_-]{8,}={0,2}/y;
const BASE32 = /[A-Z2-7]{16,}={0,6}/y;
/** A blob is judged by its beginning, so that it is the same blob while it is still arriving. */
const SAMPLE_CHARACTERS = 48;
const BLOB_CHARACTERS_MIN = 16;
/** A padded end says what it is even of a short one. */
const PADDED_CHARACTERS_MIN = 12;
/** So many octets are not all of ASCII by chance. What is shorter, or of other scripts, must read as words. */
const SURE_CHARACTERS = 16;
const ASCII_TEXT = /^[\t\r\n -~]*$/;
const BASE32_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Case changes or digits as no word has them. */
const WORD_CASE = /^[A-Z]?[a-z]+$|^[A-Z]+$|^[a-z]+$/;

/** The base64 and base32 blobs of a text that decode to readable words. */
export function findBlobs(text: string, { longTokens }: Survey): Piece[] {
  const found: Piece[] = [];
  let open: Blob | undefined;
  for (const token of longTokens) {
    const blob = blobIn(text, token);
    if (blob === undefined) continue;
    // What was broken over lines is one blob; every line but the last is long.
    const joins = open !== undefined && isOnlySpace(text, open.end, blob.start);
    if (joins && open !== undefined) {
      open.end = blob.end;
      open.written += blob.written;
    } else {
      close(text, open, found);
      open = blob;
    }
  }
  close(text, open, found);
  return found;
}

interface Blob {
  readonly start: number;
  end: number;
  written: string;
}

/** The last line of a blob, too short to be noticed alone. */
const LAST_LINE = /\r?\n[ \t]{0,8}([A-Za-z0-9+/_-]{1,16}={0,2})(?![^\s"'`])/y;

function close(text: string, blob: Blob | undefined, found: Piece[]): void {
  if (blob === undefined) return;
  LAST_LINE.lastIndex = blob.end;
  const last = LAST_LINE.exec(text);
  const start = blob.start;
  const end = blob.end + (last?.[0].length ?? 0);
  const written = blob.written + (last?.[1] ?? "");
  const read = readBase64(written, start === 0) ?? readBase32(written);
  if (read !== undefined) found.push({ start, end, ...read });
}

/** The longest run of the alphabet in a token: it may stand in quotes or after a colon. */
function blobIn(text: string, { start, end }: Stretch): Blob | undefined {
  for (let at = start; at < end; ) {
    BLOB.lastIndex = at;
    const written = BLOB.exec(text)?.[0];
    if (written === undefined) at = skip(text, at, end);
    else {
      const short = written.length < (written.endsWith("=") ? PADDED_CHARACTERS_MIN : BLOB_CHARACTERS_MIN);
      if (!short) return { start: at, end: at + written.length, written };
      at += written.length;
    }
  }
  return undefined;
}

/** Past the run of the alphabet that was too short, and past what is not of it. */
function skip(text: string, at: number, end: number): number {
  let next = at;
  while (next < end && isOfAlphabet(text.charCodeAt(next))) next += 1;
  while (next < end && !isOfAlphabet(text.charCodeAt(next))) next += 1;
  return next;
}

function isOfAlphabet(code: number): boolean {
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

function readBase64(written: string, mayBeCut: boolean): Pick<Piece, "text" | "undone"> | undefined {
  if (WORD_CASE.test(written.slice(0, SAMPLE_CHARACTERS))) return undefined;
  // A long text is judged in pieces, and one may begin in the middle of a blob.
  for (let skipped = 0; skipped < (mayBeCut ? 4 : 1); skipped += 1) {
    const sample = decode(written.slice(skipped, skipped + SAMPLE_CHARACTERS));
    if (!isText(sample)) continue;
    const whole = decode(written.slice(skipped));
    if (isText(whole)) return { text: whole, undone: "base64" };
  }
  return undefined;
}

function isText(decoded: string): boolean {
  if (!isPrintable(decoded)) return false;
  return (decoded.length >= SURE_CHARACTERS && ASCII_TEXT.test(decoded)) || isWordy(decoded);
}

function decode(written: string): string {
  const bytes = Buffer.from(written, "base64");
  // Wide characters have every other octet empty; where the blob was cut, that may be the first.
  if (bytes.length > 4 && bytes[0] === 0 && bytes[2] === 0) return bytes.subarray(1).toString("utf16le");
  return bytes.toString(bytes.length > 4 && bytes[1] === 0 && bytes[3] === 0 ? "utf16le" : "utf8");
}

function readBase32(written: string): Pick<Piece, "text" | "undone"> | undefined {
  BASE32.lastIndex = 0;
  const matched = BASE32.exec(written)?.[0];
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
  return isPrintable(text) && isWordy(text) ? { text, undone: "base32" } : undefined;
}
