import { invertCharacterTable } from "./look-alikes.ts";

/**
 * Lower-case letters of other scripts that pass for Latin ones. Some only do so as capitals (В for B),
 * but words are lower-cased before they get here.
 */
const CONFUSABLES = invertCharacterTable({
  a: "аαӑӓꭺ",
  b: "вβьꮟᏼ",
  c: "сϲꮯ",
  d: "ԁꭰꮷ",
  e: "еεёӗєꭼ",
  f: "ϝ",
  g: "ԍցᏻꮐ",
  h: "һнհꮋꮒ",
  i: "іιїίւꭵ",
  j: "јϳյꭻ",
  k: "кκқҝꮶ",
  l: "ӏꮮ",
  m: "мμꮇ",
  n: "ηпոռ",
  o: "оοσօө",
  p: "рρքꮲ",
  q: "ԛզ",
  r: "гᴦꭱꮢ",
  s: "ѕꮥꮪ",
  t: "тτեꭲ",
  u: "υսц",
  v: "νѵꮩ",
  w: "ԝωшաꮃꮤ",
  x: "хχҳ",
  y: "уγүყꭹў",
  z: "ζзꮓ",
});

/** Those of which nobody could tell, letter for letter, that they are not Latin. */
const IDENTICAL_LETTERS = new Set("асԁеһіјорѕхуѵԛԝӏονϳ");

const FOREIGN_CLASS = "\\u0370-\\u052f\\u0531-\\u0587\\u10d0-\\u10ff\\u13a0-\\u13ff\\u1d26\\uab70-\\uabbf";
/** A word mixes scripts exactly where a Latin letter touches one of another. */
const MIXED = new RegExp(`[a-z][${FOREIGN_CLASS}]|[${FOREIGN_CLASS}][a-z]`);
const WORD = new RegExp(`[a-z${FOREIGN_CLASS}]+`, "g");
const FOREIGN_WORD = new RegExp(`[${FOREIGN_CLASS}]+`, "g");
const FOREIGN = new RegExp(`[${FOREIGN_CLASS}]`, "g");

/**
 * Writes words that mix scripts in Latin letters, and words all of twins where most of the text is Latin. Other words
 * of one script are left alone: they are simply Greek or Russian. Every letter stays one letter, so offsets stay as they are.
 */
export function latiniseConfusables(text: string): string {
  if (text.search(FOREIGN) === -1) return text;
  const mixed = MIXED.test(text);
  const unmixed = mixed
    ? text.replace(WORD, (word) => (MIXED.test(word) ? word.replace(FOREIGN, latinConfusable) : word))
    : text;
  if (!isMostlyLatin(unmixed)) return unmixed;
  // Whoever mixed scripts in some words has hidden others too.
  const passes = mixed ? isAllConfusables : isAllIdenticalLetters;
  return unmixed.replace(FOREIGN_WORD, (word) =>
    passes(word) ? word.replace(FOREIGN, latinConfusable) : word,
  );
}

function latinConfusable(letter: string): string {
  return CONFUSABLES.get(letter) ?? letter;
}

function isAllIdenticalLetters(word: string): boolean {
  for (const letter of word) if (!IDENTICAL_LETTERS.has(letter)) return false;
  return true;
}

function isAllConfusables(word: string): boolean {
  for (const letter of word) if (!CONFUSABLES.has(letter)) return false;
  return true;
}

function isMostlyLatin(text: string): boolean {
  let latin = 0;
  let foreign = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 97 && code <= 122) latin += 1;
    else if (code >= 0x370 && isForeign(code)) foreign += 1;
  }
  return latin > foreign;
}

function isForeign(code: number): boolean {
  return code <= 0x587 || (code >= 0x10d0 && code <= 0x13ff) || (code >= 0xab70 && code <= 0xabbf);
}
