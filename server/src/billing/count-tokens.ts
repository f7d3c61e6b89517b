/**
 * Our own count of a text's tokens: fast, the same on every machine, within about a tenth of the exact tokenizers
 * for prose and code. It sizes holds, and it is what is charged when a provider's count is missing or unbelievable.
 */
export function countTokens(text: string): number {
  if (text === "") return 0;
  let tokens = 0;
  let start = 0;
  let kind = kindAt(text, 0);
  for (let index = 1; index < text.length; index++) {
    const next = kindAt(text, index);
    if (next === kind) continue;
    tokens += tokensOf(kind, index - start);
    start = index;
    kind = next;
  }
  return tokens + tokensOf(kind, text.length - start);
}

const LETTER = 0;
const DIGIT = 1;
const SPACE = 2;
const BREAK = 3;
const MARK = 4;
const OTHER_ALPHABET = 5;
const IDEOGRAPH = 6;
const SURROGATE = 7;

function kindOf(code: number): number {
  if (code < 0x80) {
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return LETTER;
    if (code >= 48 && code <= 57) return DIGIT;
    if (code === 32 || code === 9) return SPACE;
    return code === 10 || code === 13 ? BREAK : MARK;
  }
  if (code < 0x250) return LETTER;
  if (code >= 0xd800 && code <= 0xdfff) return SURROGATE;
  if (code >= 0x2000 && code <= 0x2bff) return MARK;
  return code >= 0x2e80 && code <= 0xfaff ? IDEOGRAPH : OTHER_ALPHABET;
}

function tokensOfRun(kind: number, length: number): number {
  switch (kind) {
    case LETTER:
      // A usual word is one token; a long one is cut about every five letters.
      return length <= 8 ? 1 : Math.ceil(length / 5);
    case DIGIT:
      return Math.ceil(length / 3);
    case SPACE:
      // One space belongs to the word after it; indentation is packed.
      return length === 1 ? 0 : Math.ceil(length / 8);
    case BREAK:
      return Math.ceil(length / 2);
    case OTHER_ALPHABET:
      return Math.ceil(length / 3);
    case SURROGATE:
      return length;
    case IDEOGRAPH:
      return length;
    default:
      return Math.ceil(length / 2);
  }
}

/** This runs over every character of every request: what is usual is looked up instead of worked out. */
const LETTERS_END = 0x250;
const KINDS = Uint8Array.from({ length: LETTERS_END }, (_, code) => kindOf(code));
const KIND_COUNT = 8;
const LENGTH_BITS = 6;
const SHORT = 1 << LENGTH_BITS;
const TOKENS = Uint8Array.from({ length: KIND_COUNT * SHORT }, (_, index) =>
  tokensOfRun(index >> LENGTH_BITS, index & (SHORT - 1)),
);

function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < LETTERS_END ? (KINDS[code] ?? LETTER) : kindOf(code);
}

function tokensOf(kind: number, length: number): number {
  return length < SHORT ? (TOKENS[(kind << LENGTH_BITS) | length] ?? 0) : tokensOfRun(kind, length);
}
