import { splitSentences } from "../builtin/text.ts";
import { detectLanguage, LATIN_LANGUAGES } from "./detect-language.ts";

export interface Sentence {
  readonly text: string;
  /** In lower case, in order, including common words. */
  readonly words: readonly string[];
}

export interface AnalysedText {
  readonly sentences: readonly Sentence[];
  /** undefined: not detected. */
  readonly language: string | undefined;
  /** Words without meaning for the topic. */
  readonly commonWords: ReadonlySet<string>;
  readonly wordCount: number;
}

/** The length of a step between yields to the event loop. */
const SLICE_CHARACTERS = 24_000;
/** Text without full stops is split at this length, so that a summary has readable sentences. */
const SENTENCE_CHARACTERS_MAX = 600;

/** Scripts without spaces between words: each character counts as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;
const CHARACTER_OR_WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{Script=Latin}\p{N}]+/gu;

/** Splits a text into sentences and words, slice by slice. */
export async function analyseText(text: string, nextTurn: () => Promise<void>): Promise<AnalysedText> {
  const sentences: Sentence[] = [];
  let wordCount = 0;
  for (const slice of slicesOf(text)) {
    for (const whole of splitSentences(slice)) {
      for (const part of partsOf(whole)) {
        const words = wordsOf(part);
        wordCount += words.length;
        if (words.length > 0) sentences.push({ text: part, words });
      }
    }
    await nextTurn();
  }
  const language = detectLanguage(text);
  const known = LATIN_LANGUAGES.find(({ name }) => name === language) ?? LATIN_LANGUAGES[0];
  return { sentences, language, commonWords: known?.commonWords ?? new Set(), wordCount };
}

/** Slices end at a nearby paragraph or sentence, so that few sentences are split. */
function* slicesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = Math.min(text.length, start + SLICE_CHARACTERS);
    const tail = text.slice(Math.max(start, end - 2_000), end);
    const stop =
      end === text.length ? -1 : Math.max(tail.lastIndexOf("\n\n"), tail.lastIndexOf(". "), tail.lastIndexOf("。"));
    const cut = stop === -1 ? end : end - tail.length + stop + 1;
    yield text.slice(start, cut);
    start = cut;
  }
}

function partsOf(sentence: string): readonly string[] {
  if (sentence.length <= SENTENCE_CHARACTERS_MAX) return [sentence];
  return sentence.match(/.{1,600}(?=\s|$)|.{1,600}/gsu)?.map((part) => part.trim()) ?? [];
}

function wordsOf(sentence: string): readonly string[] {
  const lower = sentence.toLowerCase();
  return lower.match(UNSPACED.test(lower) ? CHARACTER_OR_WORD : WORD) ?? [];
}
