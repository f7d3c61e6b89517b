/** An answer is judged about this often; a stride ends with a word where one ends. */
export const STRIDE = 16;
/** A window begins with a word if one begins within this. */
const WORD_REACH = 32;

/** The end of a text that grows. Places are offsets into all of it. */
export class StreamBuffer {
  #text = "";
  #start = 0;
  #characterClasses = 0;
  #lastCharacterClasses = 0;

  get end(): number {
    return this.#start + this.#text.length;
  }

  /** What kinds of characters the stride holds that is being read. */
  get characterClasses(): number {
    return this.#characterClasses;
  }

  /** The same of that stride and the one before: what is looked for may lie across both. */
  get recentCharacterClasses(): number {
    return this.#characterClasses | this.#lastCharacterClasses;
  }

  /** The next stride is read. */
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

  /** What of a stretch is still here. */
  slice(from: number, to: number): string {
    return this.#text.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }

  codeAt(place: number): number {
    return this.#text.charCodeAt(place - this.#start);
  }

  /** Says otherwise what it ends with. */
  replaceFrom(place: number, text: string): void {
    this.#text = this.#text.slice(0, Math.max(0, place - this.#start)) + text;
  }

  dropBefore(place: number): void {
    const needless = place - this.#start;
    if (needless <= 0) return;
    this.#text = this.#text.slice(needless);
    this.#start = place;
  }

  /** Where the stride ends that begins here, of which all is there. */
  strideEnd(from: number): number {
    for (let end = from + STRIDE; end > from; end -= 1) {
      if (isSpace(this.codeAt(end - 1))) return end;
    }
    return this.characterBoundary(from + STRIDE);
  }

  /** Where a view of about so many characters begins that ends here: with a word, where there is one. */
  viewStart(end: number, characters: number): number {
    const earliest = Math.max(end - characters, this.#start);
    if (earliest <= 0) return 0;
    for (let start = earliest; start < earliest + WORD_REACH; start += 1) {
      if (isSpace(this.codeAt(start))) return start;
    }
    return this.characterBoundary(earliest);
  }

  /** One place further back where this one would split a character in two. */
  characterBoundary(place: number): number {
    const before = this.codeAt(place - 1);
    return before >= 0xd800 && before < 0xdc00 ? place - 1 : place;
  }
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** What kinds of characters a stride holds. One look at it spares most of those who follow an answer theirs. */
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
  /** A letter that may be read as another, or that nobody sees. */
  confusable: 256,
  /** No white space at all. */
  noWhitespace: 512,
} as const;

const CHARACTERS_BY_CLASS = [
  ["@", CHARACTER_CLASS.at],
  [":=", CHARACTER_CLASS.assignment],
  ["/\\", CHARACTER_CLASS.slash],
  ["<>", CHARACTER_CLASS.angleBracket],
  ["[]", CHARACTER_CLASS.bracket],
  ["`", CHARACTER_CLASS.backtick],
  ["-", CHARACTER_CLASS.dash],
  ["0123456789", CHARACTER_CLASS.digit],
] as const;

const CLASS_BY_CODE = new Uint16Array(128);
for (const [characters, sign] of CHARACTERS_BY_CLASS)
  for (const character of characters) CLASS_BY_CODE[character.charCodeAt(0)] = sign;

/** Of the stride of a text from one place to another. */
function characterClassesIn(text: string, from: number, to: number): number {
  let signs = 0;
  let isBroken = false;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32) isBroken = true;
    signs |= code < 128 ? (CLASS_BY_CODE[code] ?? 0) : isUnambiguous(code) ? 0 : CHARACTER_CLASS.confusable;
  }
  return isBroken ? signs : signs | CHARACTER_CLASS.noWhitespace;
}

/** Letters of scripts that look like no other, and common marks. */
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
