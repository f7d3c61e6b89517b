/** What every letter is read as: in lower case, without accents, one digit for all. Reading a text that is already normal changes nothing. */

const NOT_FOLDED_YET = 0xffff;
/** Read as nothing at all: marks that no reader sees, and apostrophes, with or without which a word is the same. */
export const NO_CHARACTER = 0;
const SPACE = 32;
const DIGIT = 48;

const QUOTES = /[\u201c-\u201f\u00ab\u00bb\u300c-\u300f]/;
const DASHES = /[\u2010-\u2015\u2212]/;
const INVISIBLE =
  /^(?:[\u0300-\u036f]|[\u20d0-\u20f0]|[\ufe00-\ufe0f]|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0'`\u2018\u2019\u02bc])$/;
const ACCENTS = /[\u0300-\u036f]/g;

/** Filled as letters are met. */
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
  // Half of a pair stands for itself.
  if (code >= 0xd800 && code < 0xe000) return code;
  const lower = letter.toLowerCase();
  const bare = lower.normalize("NFKD").replace(ACCENTS, "");
  // What falls apart into several stays whole: a syllable of Korean is one letter.
  const whole = bare.length === 1 ? bare : lower.normalize("NFKC");
  return whole.length === 1 ? whole.charCodeAt(0) : lower.charCodeAt(0);
}
