import type { StreamDetection, StreamDetector } from "../detector.ts";
import { isSpace, type StreamBuffer } from "../stream-buffer.ts";
import type { TextRange } from "../text-range.ts";
import { type AnswerContext, HINT, LIKELY } from "./answer-context.ts";
import { forEachWordHash, NGRAM_WORDS, WordNgramHasher, type WordNgramIndex } from "./ngram-index.ts";

/** A match of this many words and characters is the prompt itself and no coincidence. */
const LEAK_WORDS_MIN = 12;
const LEAK_CHARACTERS_MIN = 60;
/** Twelve words with fewer characters are in a script in which each character is a word. */
const UNSPACED_LEAK_CHARACTERS_MIN = 36;
/** More words than any phrase that the answer was instructed to use. */
const LIKELY_LEAK_WORDS_MIN = 30;
/** The maximum distance of the last word boundary, for long words and scripts without spaces. */
const WORD_MAX = 64;

/** Whether a complete answer may repeat the prompt: it shares a few words with it, or has a word that a stream cuts. */
export function mayRepeatPrompt(text: string, prompt: WordNgramIndex): boolean {
  return hasCutWord(text) || prompt.containsAny(text);
}

function hasCutWord(text: string): boolean {
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (isSpace(text.charCodeAt(at))) start = at + 1;
    else if (at + 1 - start >= WORD_MAX) return true;
  }
  return false;
}

/** Finds where an answer repeats, word for word, the application's prompt. */
export class PromptLeakDetector implements StreamDetector {
  readonly #context: AnswerContext;
  readonly #prompt: WordNgramIndex;
  readonly #wordNgramHasher = new WordNgramHasher();
  /** The offset up to which words were read, always the end of a word. */
  #read = 0;
  /** The starts of the last few words. */
  readonly #starts = new Int32Array(NGRAM_WORDS);
  #words = 0;
  /** The current match: its start, and its number of words; 0: none. */
  #start = 0;
  #length = 0;
  decidedTo = 0;

  constructor(context: AnswerContext, prompt: WordNgramIndex) {
    this.#context = context;
    this.#prompt = prompt;
  }

  get clearTo(): number {
    return this.#length === 0 ? this.#read : this.#start;
  }

  read(streamBuffer: StreamBuffer, to: number, isLast: boolean): StreamDetection | undefined {
    this.decidedTo = to;
    const end = isLast ? to : lastWordEnd(streamBuffer, this.#read, to);
    let longest: (TextRange & { readonly words: number }) | undefined;
    forEachWordHash(streamBuffer.slice(this.#read, end), this.#read, (word, start, wordEnd) => {
      this.#starts[this.#words % NGRAM_WORDS] = start;
      this.#words += 1;
      const ngram = this.#wordNgramHasher.push(word);
      if (ngram === 0 || !this.#prompt.has(ngram)) {
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

/** A stride may end within a long word. */
function lastWordEnd(streamBuffer: StreamBuffer, from: number, to: number): number {
  for (let end = to; end > Math.max(from, to - WORD_MAX); end -= 1) {
    if (isSpace(streamBuffer.codeAt(end - 1))) return end;
  }
  return to - from > WORD_MAX ? to : from;
}
