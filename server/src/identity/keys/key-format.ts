import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;
const KEY_PATTERN = new RegExp(`^tl_[0-9A-Za-z]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);

/** A new key: `tl_`, 32 random characters, and a checksum by which a mistyped key is refused without a look-up. */
export function newKeySecret(): string {
  let random = "";
  for (let i = 0; i < RANDOM_LENGTH; i++) random += ALPHABET[randomInt(ALPHABET.length)];
  return `tl_${random}${checksumOf(random)}`;
}

/** A new key, and what is kept of it. */
export function mintKeySecret(): {
  readonly secret: string;
  readonly kept: { readonly hash: string; readonly hint: string };
} {
  const secret = newKeySecret();
  return { secret, kept: { hash: hashOfKey(secret), hint: hintOfKey(secret) } };
}

/** Whether a text can be a key at all. A key of our own shape must carry its checksum. */
export function isPlausibleKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return /^[A-Za-z0-9_-]{16,128}$/.test(text);
  const random = text.slice(3, 3 + RANDOM_LENGTH);
  return text.slice(3 + RANDOM_LENGTH) === checksumOf(random);
}

/** The only form in which a key is stored or looked up. */
export function hashOfKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** What a list may show of a key. */
export function hintOfKey(key: string): string {
  // Of a short key of the operator's own choice, less may be shown.
  const [start, end] = key.length < 32 ? [3, 2] : [6, 4];
  return `${key.slice(0, start)}…${key.slice(-end)}`;
}

function checksumOf(random: string): string {
  let rest = crc32(random);
  let text = "";
  for (let i = 0; i < CHECK_LENGTH; i++) {
    text = (ALPHABET[rest % ALPHABET.length] ?? "") + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
