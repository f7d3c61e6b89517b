import type { TextSpan } from "./survey.ts";

/** A stretch of a text that says something else than it shows. */
export interface DecodedSpan extends TextSpan {
  /** What it says. */
  readonly text: string;
  /** The name of what hid it. */
  readonly undone: string;
}

/** How much of what was decoded must be text that can be read. */
const PRINTABLE_SHARE = 0.9;

/** Whether nearly all of a text can be shown. */
export function isPrintable(text: string): boolean {
  let unreadable = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const control = code < 32 && code !== 9 && code !== 10 && code !== 13;
    if (control || (code >= 127 && code < 160) || code === 0xfffd) unreadable += 1;
  }
  return text !== "" && unreadable <= text.length * (1 - PRINTABLE_SHARE);
}

/** Whether a text is mostly letters and spaces, of whatever script, as sentences are. */
export function isMostlyLetters(text: string): boolean {
  let wordy = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10 || (code > 64 && code < 91) || (code > 96 && code < 123) || code > 191)
      wordy += 1;
  }
  return wordy >= text.length * 0.65;
}

/** Bytes as the text they are, or undefined where they are none. */
export function bytesToText(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return isPrintable(text) ? text : undefined;
}
