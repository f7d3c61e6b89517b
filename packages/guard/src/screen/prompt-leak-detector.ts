import type { Follower, News } from "../detector.ts";
import { isSpace, type Tail } from "../tail.ts";
import type { AnswerContext } from "./answer-context.ts";
import { HINT, LIKELY } from "./certainty.ts";
import { type PassageIndex, ROW, Row } from "./passage-index.ts";
import { readWords } from "./read-words.ts";

/** From so many words in a row, or so many characters of them, on it is the prompt itself and no chance. */
const WORDS = 12;
const CHARACTERS = 60;
/** Twelve words of fewer characters are of a script in which each is a word. */
const CHARACTERS_MIN = 36;
/** So many are no phrase that the answer was told to use. */
const WORDS_OF_A_LEAK = 30;
/** Where words are long, or have no spaces between them, the last one is read so far back. */
const WORD_MAX = 64;

/** Tells where an answer repeats, word for word, what the application told the model and nobody else. */
export class PromptLeak implements Follower {
  readonly #context: AnswerContext;
  readonly #prompt: PassageIndex;
  readonly #row = new Row();
  /** Up to where words were read: always to the end of one. */
  #read = 0;
  /** Where the last few words begin. */
  readonly #starts = new Int32Array(ROW);
  #words = 0;
  /** What is being repeated: where it begins, and how many words it has; 0: nothing is. */
  #start = 0;
  #length = 0;
  judged = 0;

  constructor(context: AnswerContext, prompt: PassageIndex) {
    this.#context = context;
    this.#prompt = prompt;
  }

  read(tail: Tail, to: number, isLast: boolean): News | undefined {
    this.judged = to;
    const end = isLast ? to : lastWordEnd(tail, this.#read, to);
    let longest: { readonly start: number; readonly end: number; readonly words: number } | undefined;
    readWords(tail.slice(this.#read, end), this.#read, (word, start, wordEnd) => {
      this.#starts[this.#words % ROW] = start;
      this.#words += 1;
      const row = this.#row.push(word);
      if (row === 0 || !this.#prompt.has(row)) {
        this.#length = 0;
        return;
      }
      if (this.#length === 0) this.#start = this.#starts[this.#words % ROW] ?? start;
      this.#length = this.#length === 0 ? ROW : this.#length + 1;
      const characters = wordEnd - this.#start;
      if (characters >= CHARACTERS || (characters >= CHARACTERS_MIN && this.#length >= WORDS))
        longest = { start: this.#start, end: wordEnd, words: this.#length };
    });
    this.#read = end;
    if (longest === undefined || this.#context.wasSaidOpenly(tail.slice(longest.start, longest.end)))
      return undefined;
    const score = longest.words >= WORDS_OF_A_LEAK ? LIKELY : HINT;
    const { start } = longest;
    return { findings: [{ category: "injection", score, start, end: longest.end }], normalised: [] };
  }
}

/** A stride may end within a word that is long. */
function lastWordEnd(tail: Tail, from: number, to: number): number {
  for (let end = to; end > Math.max(from, to - WORD_MAX); end -= 1) {
    if (isSpace(tail.codeAt(end - 1))) return end;
  }
  return to - from > WORD_MAX ? to : from;
}
