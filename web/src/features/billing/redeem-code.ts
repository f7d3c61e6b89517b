const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 17;

/** The state of a code while it is typed. */
export type TypedCode =
  | { readonly state: "empty" | "whole" | "wrong" }
  | { readonly state: "partial"; readonly missing: number }
  | { readonly state: "impossible"; readonly character: string };

/** Reads a code while it is typed, forgiving what the service forgives: case, spaces, dashes, O for 0, I and L for 1. */
export function readTyped(text: string): TypedCode {
  const tidy = text
    .toUpperCase()
    .replace(/[\s\p{Pd}_.]/gu, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
  // `TL` may be left out; a code that begins with these two letters itself is recognised by its length.
  const bare = tidy.startsWith("T1") && tidy.length !== LENGTH ? tidy.slice(2) : tidy;
  if (tidy === "") return { state: "empty" };
  const impossible = [...bare].find((character) => !ALPHABET.includes(character));
  if (impossible !== undefined) return { state: "impossible", character: impossible };
  if (bare.length < LENGTH) return { state: "partial", missing: LENGTH - bare.length };
  return { state: bare.length === LENGTH && isWhole(bare) ? "whole" : "wrong" };
}

/** The last character is chosen so that this sum over the field of 32 elements is 0. */
function isWhole(bare: string): boolean {
  let value = 0;
  for (const character of bare) value = (value << 1) ^ (value & 16 ? 0b100101 : 0) ^ ALPHABET.indexOf(character);
  return value === 0;
}
