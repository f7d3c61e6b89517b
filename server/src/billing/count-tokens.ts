/**
 * Our own count of a text's tokens: fast, the same on every machine, within about a tenth of the exact tokenizers
 * for prose and code. It sizes holds, and it is what is charged when a provider's count is missing or unbelievable.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let index = 0;
  while (index < text.length) {
    const kind = kindOf(text.charCodeAt(index));
    let end = index + 1;
    while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end++;
    tokens += tokensOfRun(kind, end - index);
    index = end;
  }
  return tokens;
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
