import { characterClassesIn } from "./stride-signs.ts";

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
