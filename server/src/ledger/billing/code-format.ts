import { createHash, randomBytes } from "node:crypto";

/** Crockford's alphabet: no I, L, O and U, so that nothing is taken for something else. */
const CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Five bits each: 80 random bits. */
const RANDOM_LENGTH = 16;
const CODE_LENGTH = RANDOM_LENGTH + 1;

/** A new code such as `TL-7K3M-Q9ZD-0W2B-XR5T1`: 80 random bits and a character by which a typo is told at once. */
export function newRedeemCode(): string {
  const random = [...randomBytes(RANDOM_LENGTH)].map((byte) => byte & 31);
  return formatCode([...random, timesX(checksumOf(random))]);
}

/** What somebody typed in its one right form; undefined where it can't be a code. Case, spaces, dashes and look-alikes are forgiven. */
export function parseRedeemCode(text: string): string | undefined {
  const tidy = text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  // `TL` itself has a letter that is forgiven.
  const bare = tidy.length === CODE_LENGTH + 2 && tidy.startsWith("T1") ? tidy.slice(2) : tidy;
  const digits = [...bare].map((character) => CODE_ALPHABET.indexOf(character));
  const isCode = digits.length === CODE_LENGTH && !digits.includes(-1) && checksumOf(digits) === 0;
  return isCode ? formatCode(digits) : undefined;
}

/** The only form in which a code is stored or looked up. */
export function hashRedeemCode(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}

/** What a list may show of a code. */
export function redeemCodeHint(code: string): string {
  return `${code.slice(0, 7)}…`;
}

function formatCode(digits: readonly number[]): string {
  const text = digits.map((digit) => CODE_ALPHABET[digit] ?? "").join("");
  return `TL-${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8, 12)}-${text.slice(12)}`;
}

/**
 * The value of the digits as a polynomial over the field of 32 elements, which is 0 for a whole code. Each place has a
 * weight of its own, so that no single wrong character and no two exchanged ones leave it 0.
 */
function checksumOf(digits: readonly number[]): number {
  return digits.reduce((value, digit) => timesX(value) ^ digit, 0);
}

/** Times x, modulo x⁵ + x² + 1. */
function timesX(value: number): number {
  return (value << 1) ^ (value & 16 ? 0b100101 : 0);
}
