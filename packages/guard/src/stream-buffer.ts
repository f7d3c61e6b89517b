/** An answer is checked about every 16 characters. A stride ends after a word if possible. */
export const STRIDE = 16;
/** A window begins at a word boundary if there is one within this many characters. */
const WORD_REACH = 32;

/** The end of a growing text. All offsets refer to the whole text. */
export class StreamBuffer {
  #text = "";
  #start = 0;
  #characterClasses = 0;
  #lastCharacterClasses = 0;

  get end(): number {
    return this.#start + this.#text.length;
  }

  /** The character classes in the current stride. */
  get characterClasses(): number {
    return this.#characterClasses;
  }

  /** The character classes in the current stride and the one before, as a match may span both. */
  get recentCharacterClasses(): number {
    return this.#characterClasses | this.#lastCharacterClasses;
  }

  /** Begins the next stride. */
  startStride(from: number, to: number): void {
    this.#lastCharacterClasses = this.#characterClasses;
    this.#characterClasses = characterClassesIn(
      this.#text,
      Math.max(0, from - this.#start),
      Math.max(0, to - this.#start),
    );
  }

  append(text: string): void {
    this.#text += text;
  }

  /** The part of a range that is still in the buffer. */
  slice(from: number, to: number): string {
    return this.#text.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }

  codeAt(place: number): number {
    return this.#text.charCodeAt(place - this.#start);
  }

  /** Replaces everything from `place` on. */
  replaceFrom(place: number, text: string): void {
    this.#text = this.#text.slice(0, Math.max(0, place - this.#start)) + text;
  }

  dropBefore(place: number): void {
    const needless = place - this.#start;
    if (needless <= 0) return;
    this.#text = this.#text.slice(needless);
    this.#start = place;
  }

  /** Where the stride that begins at `from` ends. The buffer must hold all of it. */
  strideEnd(from: number): number {
    for (let end = from + STRIDE; end > from; end -= 1) {
      if (isSpace(this.codeAt(end - 1))) return end;
    }
    return this.characterBoundary(from + STRIDE);
  }

  /**
   * The start of a view of about this many characters that ends at `end`. It begins at a word boundary if there is one.
   */
  viewStart(end: number, characters: number): number {
    const earliest = Math.max(end - characters, this.#start);
    if (earliest <= 0) return 0;
    for (let start = earliest; start < earliest + WORD_REACH; start += 1) {
      if (isSpace(this.codeAt(start))) return start;
    }
    return this.characterBoundary(earliest);
  }

  /** One offset earlier if `place` would split a surrogate pair. */
  characterBoundary(place: number): number {
    const before = this.codeAt(place - 1);
    return before >= 0xd800 && before < 0xdc00 ? place - 1 : place;
  }
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** The classes of characters in a stride. Computed once, so that most stream detectors can skip the stride. */
export const CHARACTER_CLASS = {
  digit: 1,
  at: 2,
  /** A colon or an equals sign. */
  assignment: 4,
  slash: 8,
  angleBracket: 16,
  bracket: 32,
  backtick: 64,
  dash: 128,
  /** A letter that may be mistaken for another, or an invisible character. */
  confusable: 256,
  /** The stride has no white space. */
  noWhitespace: 512,
  /** Also a slash. */
  backslash: 1024,
} as const;

const CHARACTERS_BY_CLASS = [
  ["@", CHARACTER_CLASS.at],
  [":=", CHARACTER_CLASS.assignment],
  ["/", CHARACTER_CLASS.slash],
  ["\\", CHARACTER_CLASS.slash | CHARACTER_CLASS.backslash],
  ["<>", CHARACTER_CLASS.angleBracket],
  ["[]", CHARACTER_CLASS.bracket],
  ["`", CHARACTER_CLASS.backtick],
  ["-", CHARACTER_CLASS.dash],
  ["0123456789", CHARACTER_CLASS.digit],
] as const;

const CLASS_BY_CODE = new Uint16Array(128);
for (const [characters, characterClass] of CHARACTERS_BY_CLASS)
  for (const character of characters) CLASS_BY_CODE[character.charCodeAt(0)] = characterClass;

export function characterClassesIn(text: string, from: number, to: number): number {
  let classes = 0;
  let isBroken = false;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32) isBroken = true;
    classes |= code < 128 ? (CLASS_BY_CODE[code] ?? 0) : classesOfOther(code);
  }
  return isBroken ? classes : classes | CHARACTER_CLASS.noWhitespace;
}

/** The classes of a character beyond ASCII. Full-width digits are digits too. */
function classesOfOther(code: number): number {
  if (isUnambiguous(code)) return 0;
  return code >= 0xff10 && code <= 0xff19
    ? CHARACTER_CLASS.confusable | CHARACTER_CLASS.digit
    : CHARACTER_CLASS.confusable;
}

/** Letters of scripts that resemble no other script, and common punctuation. */
function isUnambiguous(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x05d0 && code <= 0x06ff && code !== 0x061c) ||
    (code >= 0x0900 && code <= 0x0dff) ||
    (code >= 0x2010 && code <= 0x2027) ||
    code === 0x3001 ||
    code === 0x3002 ||
    (code >= 0x2190 && code <= 0x21ff)
  );
}
