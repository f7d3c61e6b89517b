import type { Attachment } from "@trunkline/core/conversation.ts";
import { readDataUrl } from "@trunkline/core/data-url.ts";

/**
 * The text of an attachment sent inline with the request; undefined if it has none. Its name and type are ignored, as the
 * sender chooses them, and a model reads everything that can be read as text.
 */
export function attachmentText({ kind, url }: Pick<Attachment, "kind" | "url">): string | undefined {
  const data = readDataUrl(url);
  if (data === undefined) return undefined;
  if (kind !== "file" && isMedia(Buffer.from(data.base64.slice(0, SAMPLE_CHARACTERS), "base64"))) return undefined;
  return decodeText(Buffer.from(data.base64, "base64"));
}

/** The base64 of the bytes by which an image or a sound is told from a text. */
const SAMPLE_CHARACTERS = 4096;

/** Every format of images and sounds has a zero among its first bytes; a text has one only in UTF-16, after its mark. */
function isMedia(sample: Uint8Array): boolean {
  const isMarked = (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff);
  return !isMarked && sample.includes(0);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const faultyUtf8 = new TextDecoder("utf-8");
const utf16le = new TextDecoder("utf-16le");
const utf16be = new TextDecoder("utf-16be");
/** The characters of windows-1252 where Latin-1 has control characters. Not every decoder distinguishes the two. */
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** The number of bytes sampled to detect the encoding. */
const SAMPLE_BYTES = 8192;
/** The maximum share of control characters in text. Compressed data has one in nine. */
const CONTROLS_SHARE_MAX = 0.02;
/** The minimum share of zeros at every second byte of UTF-16, due to Latin letters and line breaks. */
const ZEROS_SHARE_MIN = 0.4;
const ZEROS_SHARE_ELSEWHERE_MAX = 0.02;

/** The text of a file in any supported encoding; undefined if it holds none. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const isOfSingleBytes = countControls(sample) <= CONTROLS_SHARE_MAX * sample.length;
  if (!isOfSingleBytes) {
    const utf16 = utf16Of(sample);
    if (utf16 !== undefined) return utf16.decode(bytes);
  }
  try {
    return utf8.decode(bytes);
  } catch {
    return isOfSingleBytes ? decodeFaultyUtf8(bytes) : undefined;
  }
}

/** A few invalid bytes in UTF-8 are replaced; if most are invalid, the text is not UTF-8. */
function decodeFaultyUtf8(bytes: Uint8Array): string {
  const text = faultyUtf8.decode(bytes);
  const bad = text.match(/\ufffd/g)?.length ?? 0;
  const beyondAscii = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  return beyondAscii - bad > bad ? text : decodeWindows1252(bytes);
}

function decodeWindows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return latin1.replace(/[\x80-\x9f]/g, (control) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80));
}

function utf16Of(sample: Uint8Array): typeof utf16le | undefined {
  if (sample[0] === 0xff && sample[1] === 0xfe) return utf16le;
  if (sample[0] === 0xfe && sample[1] === 0xff) return utf16be;
  const pairs = Math.floor(sample.length / 2);
  const [high, low] = [countZeros(sample, 0) / pairs, countZeros(sample, 1) / pairs];
  if (low >= ZEROS_SHARE_MIN && high <= ZEROS_SHARE_ELSEWHERE_MAX) return utf16le;
  if (high >= ZEROS_SHARE_MIN && low <= ZEROS_SHARE_ELSEWHERE_MAX) return utf16be;
  return undefined;
}

/** Counts zeros at every second byte. */
function countZeros(sample: Uint8Array, from: number): number {
  let zeros = 0;
  for (let at = from; at < sample.length; at += 2) if (sample[at] === 0) zeros += 1;
  return zeros;
}

function countControls(sample: Uint8Array): number {
  let controls = 0;
  for (const byte of sample) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d)) controls += 1;
  return controls;
}
