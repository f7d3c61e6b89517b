import type { AnalysedText, Sentence } from "./analyse-text.ts";

/** Only the best sentences are compared with each other, which keeps the work linear. */
const SENTENCE_CANDIDATES_MAX = 240;
const SENTENCE_WORDS_MIN = 5;
/** The share of its weight that a repeated word has. */
const REPEATED_WORD_SHARE = 0.25;

interface SentenceCandidate {
  readonly index: number;
  readonly sentence: Sentence;
  readonly topicWords: readonly string[];
  /** Prefers the first sentences, where writers put the main points. */
  readonly place: number;
}

/** In how many sentences each topic word appears. */
export async function countWords(
  analysedText: AnalysedText,
  nextTurn: () => Promise<void>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let sinceTurn = 0;
  for (const { words } of analysedText.sentences) {
    for (const word of new Set(words)) {
      if (!analysedText.commonWords.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    sinceTurn += words.length;
    if (sinceTurn > 4_000) {
      sinceTurn = 0;
      await nextTurn();
    }
  }
  return counts;
}

/** The length of the summary of a text with this many sentences. */
export function summaryLengthOf(sentenceCount: number): number {
  return Math.max(1, Math.min(7, Math.round(1.2 * Math.log2(sentenceCount))));
}

/**
 * The sentences that together cover most of the text, in the text's order. A sentence scores by the average weight of its
 * topic words; words of chosen sentences weigh less for the next.
 */
export async function pickSentences(
  analysedText: AnalysedText,
  counts: ReadonlyMap<string, number>,
  howMany: number,
  nextTurn: () => Promise<void>,
): Promise<string[]> {
  const covered = new Set<string>();
  const left = await sentenceCandidates(analysedText, counts, nextTurn);
  const chosen: SentenceCandidate[] = [];
  while (chosen.length < howMany && left.length > 0) {
    let best = 0;
    let bestWorth = -1;
    left.forEach((sentenceCandidate, at) => {
      const worth = sentenceScore(sentenceCandidate, counts, covered);
      if (worth > bestWorth) {
        best = at;
        bestWorth = worth;
      }
    });
    for (const sentenceCandidate of left.splice(best, 1)) {
      chosen.push(sentenceCandidate);
      for (const word of sentenceCandidate.topicWords) covered.add(word);
    }
    await nextTurn();
  }
  return chosen.sort((one, other) => one.index - other.index).map(({ sentence }) => withoutMarks(sentence.text));
}

async function sentenceCandidates(
  analysedText: AnalysedText,
  counts: ReadonlyMap<string, number>,
  nextTurn: () => Promise<void>,
): Promise<SentenceCandidate[]> {
  const { sentences, commonWords } = analysedText;
  const nothingTold = new Set<string>();
  const scored: { readonly contender: SentenceCandidate; readonly worth: number }[] = [];
  for (const [index, sentence] of sentences.entries()) {
    if (index % 256 === 0) await nextTurn();
    const topicWords = [...new Set(sentence.words)].filter((word) => !commonWords.has(word));
    const isWhole = sentence.words.length >= SENTENCE_WORDS_MIN && readsLikeSentence(sentence.text);
    // Incomplete sentences are used only where there is nothing else.
    const place = isWhole ? 1 + 0.6 * Math.exp(-index / 4) : 0.01;
    const contender = { index, sentence, topicWords, place };
    scored.push({ contender, worth: sentenceScore(contender, counts, nothingTold) });
  }
  scored.sort((one, other) => other.worth - one.worth);
  return scored.slice(0, SENTENCE_CANDIDATES_MAX).map(({ contender: sentenceCandidate }) => sentenceCandidate);
}

/** A sentence without its list or heading marks. */
function withoutMarks(text: string): string {
  return text.replace(/^(?:[-*•+>]|#{1,6}|\d{1,3}[.)])\s+/, "").replaceAll("**", "");
}

function sentenceScore(
  sentenceCandidate: SentenceCandidate,
  counts: ReadonlyMap<string, number>,
  covered: ReadonlySet<string>,
): number {
  let sum = 0;
  for (const word of sentenceCandidate.topicWords) {
    // A word that occurs once has little meaning for the whole text.
    const weight = 0.3 + Math.log2(counts.get(word) ?? 1);
    sum += covered.has(word) ? weight * REPEATED_WORD_SHARE : weight;
  }
  // Between the sum, which favours long sentences, and the average, which favours short ones.
  return (sentenceCandidate.place * sum) / (sentenceCandidate.topicWords.length + 4) ** 0.75;
}

/** Headings, questions, tables and code do not belong in a summary. */
function readsLikeSentence(text: string): boolean {
  if (/^(?:#|\||[-*_]{3,})/.test(text) || /[:?]$/.test(text)) return false;
  const plain = text.match(/[\p{L}\p{M}\p{N}\s,.;'’"“”„«»!()。、，！-]/gu)?.length ?? 0;
  return plain / text.length > 0.94;
}

const PHRASES_MAX = 7;
/** With few repeated phrases, the list is filled up to this number with phrases that occur once. */
const PHRASES_MIN = 4;
const WORD_CHARACTERS_MAX = 40;
const WORDS_PER_PHRASE_MAX = 3;
/** Phrases are built only from a text's most frequent words; others would rank last. */
const TOPIC_WORDS_MAX = 300;

/** The most important phrases of a text, best first. */
export async function findKeyPhrases(
  analysedText: AnalysedText,
  counts: ReadonlyMap<string, number>,
  nextTurn: () => Promise<void>,
): Promise<string[]> {
  const topics = topicWordsOf(counts);
  const phrases = new Map<string, number>();
  let sinceTurn = 0;
  for (const { words } of analysedText.sentences) {
    countPhrases(words, topics, phrases);
    sinceTurn += words.length;
    if (sinceTurn > 4_000) {
      sinceTurn = 0;
      await nextTurn();
    }
  }
  const ranked = [...phrases]
    .map(([phrase, count]) => ({ phrase, count, worth: phraseScore(phrase, count, counts) }))
    .sort((one, other) => other.worth - one.worth)
    .slice(0, 200);
  const distinct = withoutOverlaps(ranked.map(({ phrase }) => phrase));
  const recurring = distinct.filter((phrase) => (phrases.get(phrase) ?? 0) > 1);
  return distinct.slice(0, Math.min(PHRASES_MAX, Math.max(PHRASES_MIN, recurring.length)));
}

function topicWordsOf(counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  const words = [...counts].filter(
    ([word]) => word.length > 2 && word.length <= WORD_CHARACTERS_MAX && !/^\p{N}/u.test(word),
  );
  words.sort(([, one], [, other]) => other - one);
  return new Set(words.slice(0, TOPIC_WORDS_MAX).map(([word]) => word));
}

/** Counts every run of up to three neighbouring topic words. */
function countPhrases(words: readonly string[], topics: ReadonlySet<string>, phrases: Map<string, number>): void {
  for (let start = 0; start < words.length; start += 1) {
    let phrase = "";
    for (const word of words.slice(start, start + WORDS_PER_PHRASE_MAX)) {
      if (!topics.has(word)) break;
      phrase = phrase === "" ? word : `${phrase} ${word}`;
      phrases.set(phrase, (phrases.get(phrase) ?? 0) + 1);
    }
  }
}

/** A repeated phrase scores more than its words, because it names something. A single occurrence is chance. */
function phraseScore(phrase: string, count: number, counts: ReadonlyMap<string, number>): number {
  const words = phrase.split(" ");
  if (count < 2) return words.length === 2 ? 0.9 : 0.5;
  if (words.length === 1) return count;
  const rarest = Math.min(...words.map((word) => counts.get(word) ?? 1));
  return count * (1 + 0.8 * (words.length - 1)) * (0.5 + Math.min(1, count / rarest));
}

/** Without phrases that share words with a better one. */
function withoutOverlaps(phrases: readonly string[]): string[] {
  const distinct: string[] = [];
  for (const phrase of phrases) {
    const repeats = distinct.some((other) => sharesWords(phrase, other));
    if (!repeats) distinct.push(phrase);
  }
  return distinct;
}

function sharesWords(phrase: string, other: string): boolean {
  const words = new Set(other.split(" ").map(singularOf));
  return phrase.split(" ").some((word) => words.has(singularOf(word)));
}

function singularOf(word: string): string {
  return word.length > 4 ? word.replace(/(?<=[^s])s$/, "") : word;
}
