// Folds every character: lower case, no accents, one digit for all digits. Folding a folded text changes nothing.

const NOT_FOLDED_YET = 0xffff;
/** The character is dropped: invisible characters, and apostrophes, as a word is the same without them. */
export const NO_CHARACTER = 0;
const SPACE = 32;
const DIGIT = 48;

const QUOTES = /[\u201c-\u201f\u00ab\u00bb\u300c-\u300f]/;
const DASHES = /[\u2010-\u2015\u2212]/;
const INVISIBLE =
  /^(?:[\u0300-\u036f]|[\u20d0-\u20f0]|[\ufe00-\ufe0f]|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0'`\u2018\u2019\u02bc])$/;
const ACCENTS = /[\u0300-\u036f]/g;

/** Filled on demand. */
const folded = new Uint16Array(65_536).fill(NOT_FOLDED_YET);

export function foldCharacterCode(code: number): number {
  const known = folded[code] ?? NO_CHARACTER;
  if (known !== NOT_FOLDED_YET) return known;
  const found = foldUncached(code);
  folded[code] = found;
  return found;
}

function foldUncached(code: number): number {
  const letter = String.fromCharCode(code);
  if (code === 10) return code;
  if (INVISIBLE.test(letter) || (code < 32 && !/\s/.test(letter))) return NO_CHARACTER;
  if (/\s/.test(letter)) return SPACE;
  if (/\p{Nd}/u.test(letter)) return DIGIT;
  if (QUOTES.test(letter)) return 34;
  if (DASHES.test(letter)) return 45;
  // Surrogates stay as they are.
  if (code >= 0xd800 && code < 0xe000) return code;
  const lower = letter.toLowerCase();
  const bare = lower.normalize("NFKD").replace(ACCENTS, "");
  // If the decomposition has several characters, the composed form stays: a Korean syllable is one letter.
  const whole = bare.length === 1 ? bare : lower.normalize("NFKC");
  return whole.length === 1 ? whole.charCodeAt(0) : lower.charCodeAt(0);
}

// Word characters and punctuation.

export const LETTER = 1;
export const PUNCTUATION = 2;
/** By folded code. All larger codes are letters. */
export const CHARACTER_KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9_]/.test(String.fromCharCode(code)) ? LETTER : PUNCTUATION,
);

/** Whether a character, before folding, is part of a word. */
export function isWordCharacter(given: number): boolean {
  const code = foldCharacterCode(given);
  return code >= 128 || (code !== NO_CHARACTER && CHARACTER_KINDS[code] === LETTER);
}

export const SPACE_ENDS_WORD = 1;
export const SIGN_ENDS_WORD = 2;
/** How an ASCII character, before folding, ends a word; 0: it may be part of it, or is dropped. */
export const WORD_ENDS = Uint8Array.from({ length: 128 }, (_, given) => {
  const code = foldCharacterCode(given);
  if (code === NO_CHARACTER || CHARACTER_KINDS[code] === LETTER) return 0;
  return code === SPACE || code === 10 ? SPACE_ENDS_WORD : SIGN_ENDS_WORD;
});

// Punctuation that ends sentences, table cells, tags and values.

/** Ends a sentence only before a space, as it also occurs in numbers and addresses. */
export const ENDS_BEFORE_SPACE = 1;
/** Always ends the sentence. */
export const ENDS_ALWAYS = 2;
/** Ends a quoted value. */
export const ENDS_AFTER_QUOTE = 3;

const SENTENCE_END_SIGNS: readonly (readonly [signs: string, kind: number])[] = [
  [".!?:", ENDS_BEFORE_SPACE],
  ["|<>;", ENDS_ALWAYS],
  [",}]", ENDS_AFTER_QUOTE],
];

/** Quotes. Folding drops single quotes, so they are recognised before it. */
export function isQuoteCode(given: number): boolean {
  return given === 34 || given === 39;
}

/** By character code; 0: ends nothing. */
export const SENTENCE_END_KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return SENTENCE_END_SIGNS.find(([signs]) => signs.includes(sign))?.[1] ?? 0;
});

const [LINE_BREAK_CODE, SPACE_CODE] = [10, 32];

/** The white space that an escaped letter stands for in JSON: a line break or a space; undefined for others. */
export function escapedWhitespace(code: number): number | undefined {
  if (code === 110) return LINE_BREAK_CODE;
  return code === 114 || code === 116 ? SPACE_CODE : undefined;
}
