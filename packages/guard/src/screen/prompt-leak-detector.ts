import type { StreamDetection, StreamDetector } from "../detector.ts";
import { isSpace, type StreamBuffer } from "../stream-buffer.ts";
import { type AnswerContext, HINT, LIKELY } from "./answer-context.ts";
import { forEachWordHash, NGRAM_WORDS, WordNgramHasher, type WordNgramIndex } from "./ngram-index.ts";

/** From so many words in a row, or so many characters of them, on it is the prompt itself and no chance. */
const LEAK_WORDS_MIN = 12;
const LEAK_CHARACTERS_MIN = 60;
/** Twelve words of fewer characters are of a script in which each is a word. */
const UNSPACED_LEAK_CHARACTERS_MIN = 36;
/** So many are no phrase that the answer was told to use. */
const LIKELY_LEAK_WORDS_MIN = 30;
/** Where words are long, or have no spaces between them, the last one is read so far back. */
const WORD_MAX = 64;

/** Tells where an answer repeats, word for word, what the application told the model and nobody else. */
export class PromptLeakDetector implements StreamDetector {
  readonly #context: AnswerContext;
  readonly #prompt: WordNgramIndex;
  readonly #wordNgramHasher = new WordNgramHasher();
  /** Up to where words were read: always to the end of one. */
  #read = 0;
  /** Where the last few words begin. */
  readonly #starts = new Int32Array(NGRAM_WORDS);
  #words = 0;
  /** What is being repeated: where it begins, and how many words it has; 0: nothing is. */
  #start = 0;
  #length = 0;
  decidedTo = 0;

  constructor(context: AnswerContext, prompt: WordNgramIndex) {
    this.#context = context;
    this.#prompt = prompt;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    this.decidedTo = to;
    const end = isLast ? to : lastWordEnd(streamBuffer, this.#read, to);
    let longest: { readonly start: number; readonly end: number; readonly words: number } | undefined;
    forEachWordHash(streamBuffer.slice(this.#read, end), this.#read, (word, start, wordEnd) => {
      this.#starts[this.#words % NGRAM_WORDS] = start;
      this.#words += 1;
      const row = this.#wordNgramHasher.push(word);
      if (row === 0 || !this.#prompt.has(row)) {
        this.#length = 0;
        return;
      }
      if (this.#length === 0) this.#start = this.#starts[this.#words % NGRAM_WORDS] ?? start;
      this.#length = this.#length === 0 ? NGRAM_WORDS : this.#length + 1;
      const characters = wordEnd - this.#start;
      if (
        characters >= LEAK_CHARACTERS_MIN ||
        (characters >= UNSPACED_LEAK_CHARACTERS_MIN && this.#length >= LEAK_WORDS_MIN)
      )
        longest = { start: this.#start, end: wordEnd, words: this.#length };
    });
    this.#read = end;
    if (longest === undefined || this.#context.isFromOpenMessages(streamBuffer.slice(longest.start, longest.end)))
      return undefined;
    const score = longest.words >= LIKELY_LEAK_WORDS_MIN ? LIKELY : HINT;
    const { start } = longest;
    return { findings: [{ category: "injection", score, start, end: longest.end }], normalised: [] };
  }
}

/** A stride may end within a word that is long. */
function lastWordEnd(streamBuffer: StreamBuffer, from: number, to: number): number {
  for (let end = to; end > Math.max(from, to - WORD_MAX); end -= 1) {
    if (isSpace(streamBuffer.codeAt(end - 1))) return end;
  }
  return to - from > WORD_MAX ? to : from;
}
