import { createHash, randomBytes } from "node:crypto";

const COUNT = 10;
/** Without the letters and digits that are taken for each other. 32 of them: 5 bits each. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const CHARACTERS = 16;

/** Ten codes for whoever loses the second factor, 80 bits each, in groups that can be typed. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const text = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
    return text.replace(/(.{4})(?=.)/g, "$1-");
  });
}

/** The only form in which a code is kept: however it was typed, with or without hyphens. */
export function hashOfRecoveryCode(code: string): Buffer {
  return createHash("sha256").update(code.toLowerCase().replaceAll(/[\s-]/g, "")).digest();
}
