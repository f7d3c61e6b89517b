/** A stretch of a text, end exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Capitals, digits and what stands between them in numbers of any kind. */
export interface NumberStretch extends Stretch {
  readonly digits: number;
  readonly capitals: number;
}

/** Where in a text it is worth looking closer. Most texts have nothing of it and are done with. */
export interface Places {
  readonly numbers: readonly NumberStretch[];
  /** Long words of letters, digits, hyphens and underscores. */
  readonly words: readonly Stretch[];
  readonly ats: readonly number[];
  /** Colons and equals signs. */
  readonly assignments: readonly number[];
  /** Opening brackets before "at". */
  readonly brackets: readonly number[];
  /** Spaces before a spoken "dot". */
  readonly dots: readonly number[];
  /** Words for "password", from their second letter on. */
  readonly passwords: readonly number[];
}

/** No key is shorter. */
const WORD_MIN = 16;
/** No number of interest has fewer digits. */
const DIGITS_MIN = 4;

const DIGIT = 1;
const CAPITAL = 2;
const JOINT = 4;
const WORD = 8;
const SIGN = 16;
const IN_NUMBERS = DIGIT | CAPITAL | JOINT;

const CLASSES = classes();

/** For every character there is, so that looking one up takes no question. */
function classes(): Uint8Array {
  const table = new Uint8Array(65_536);
  const mark = (characters: string, bits: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = bits;
  };
  mark("abcdefghijklmnopqrstuvxyz_", WORD);
  mark("w", WORD | SIGN);
  mark("ABCDEFGHIJKLMNOPQRSTUVWXYZ", WORD | CAPITAL);
  mark("0123456789", WORD | DIGIT);
  mark("-", WORD | JOINT);
  mark("./)+", JOINT);
  // Spaces and hyphens that do not break, and dashes, as word processors put them into numbers.
  mark("\u00a0\u202f\u2010\u2011\u2012\u2013", JOINT);
  mark("@:=[{ñ", SIGN);
  mark(" (", SIGN | JOINT);
  return table;
}

class FoundPlaces implements Places {
  readonly numbers: NumberStretch[] = [];
  readonly words: Stretch[] = [];
  readonly ats: number[] = [];
  readonly assignments: number[] = [];
  readonly brackets: number[] = [];
  readonly dots: number[] = [];
  readonly passwords: number[] = [];
}

/** Goes over the text once, character by character, and notes the places. */
export function scan(text: string): Places {
  const found = new FoundPlaces();
  let wordBreak = -1;
  let numberBreak = -1;
  let digits = 0;
  let capitals = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const bits = CLASSES[code] ?? 0;
    if ((bits & IN_NUMBERS) === 0) {
      if (digits >= DIGITS_MIN) found.numbers.push({ start: numberBreak + 1, end: at, digits, capitals });
      numberBreak = at;
      digits = 0;
      capitals = 0;
      // A small letter, by far the commonest of all.
      if (bits === WORD) continue;
    } else {
      digits += bits & DIGIT;
      capitals += (bits & CAPITAL) >> 1;
    }
    if ((bits & WORD) === 0) {
      if (at - wordBreak > WORD_MIN) found.words.push({ start: wordBreak + 1, end: at });
      wordBreak = at;
    }
    if ((bits & SIGN) !== 0) noteSign(text, at, code, found);
  }
  const end = text.length;
  if (digits >= DIGITS_MIN) found.numbers.push({ start: numberBreak + 1, end, digits, capitals });
  if (end - wordBreak > WORD_MIN) found.words.push({ start: wordBreak + 1, end });
  return found;
}

function noteSign(text: string, at: number, code: number, found: FoundPlaces): void {
  switch (code) {
    case 32:
      if (text.charCodeAt(at + 1) === 100 && text.startsWith("dot ", at + 1)) found.dots.push(at);
      return;
    case 64:
      found.ats.push(at);
      return;
    case 58:
    case 61:
      found.assignments.push(at);
      return;
    case 119:
      if (text.startsWith("ass", at - 3) || text.startsWith("enn", at - 3)) found.passwords.push(at - 3);
      return;
    case 0xf1:
      if (text.startsWith("ontrase", at - 7)) found.passwords.push(at - 7);
      return;
    default:
      if (isAt(text, at + 1)) found.brackets.push(at);
  }
}

function isAt(text: string, place: number): boolean {
  const at = text.charCodeAt(place) === 32 ? place + 1 : place;
  return (text.charCodeAt(at) | 32) === 97 && (text.charCodeAt(at + 1) | 32) === 116;
}
