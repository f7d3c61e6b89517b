/** Words that were hidden in an encoding, and where. */
export interface EncodedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Begins where a word begins, so that no word is read more than once. */
const BLOB = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}/g;
/** Nothing longer is decoded: what matters in a picture of a megabyte is that it is no text, and that shows at once. */
const BLOB_CHARACTERS_MAX = 65_536;
/** A blob is judged by its beginning, so that it is the same blob while it is still arriving. */
const SAMPLE_CHARACTERS = 48;
const PRINTABLE_SHARE = 0.9;

/** The base64 blobs of a text that decode to readable words. */
export function findEncodedText(text: string): EncodedText[] {
  const found: EncodedText[] = [];
  for (const match of text.matchAll(BLOB)) {
    const blob = match[0];
    if (!isReadable(decode(blob.slice(0, SAMPLE_CHARACTERS)))) continue;
    const decoded = decode(blob.slice(0, BLOB_CHARACTERS_MAX));
    if (isReadable(decoded))
      found.push({ text: decoded, start: match.index, end: match.index + blob.length });
  }
  return found;
}

function decode(blob: string): string {
  return Buffer.from(blob, "base64").toString("utf8");
}

function isReadable(decoded: string): boolean {
  let unreadable = 0;
  for (let at = 0; at < decoded.length; at += 1) {
    const code = decoded.charCodeAt(at);
    const control = code < 32 && code !== 9 && code !== 10 && code !== 13;
    if (control || (code >= 127 && code < 160) || code === 0xfffd) unreadable += 1;
  }
  return decoded !== "" && unreadable <= decoded.length * (1 - PRINTABLE_SHARE);
}
