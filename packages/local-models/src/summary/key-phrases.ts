import type { AnalysedText } from "./analyse-text.ts";

const PHRASES_MAX = 7;
/** Where little recurs, the list is filled up to this many with phrases that stand there once. */
const PHRASES_MIN = 4;
const WORD_CHARACTERS_MAX = 40;
const WORDS_PER_PHRASE_MAX = 3;
/** Phrases are only built from a text's most frequent words: all others would come last anyway. */
const TOPIC_WORDS_MAX = 300;

/** The phrases that a text keeps coming back to, the most telling first. */
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
  const kept = withoutOverlaps(ranked.map(({ phrase }) => phrase));
  const recurring = kept.filter((phrase) => (phrases.get(phrase) ?? 0) > 1);
  return kept.slice(0, Math.min(PHRASES_MAX, Math.max(PHRASES_MIN, recurring.length)));
}

function topicWordsOf(counts: ReadonlyMap<string, number>): ReadonlySet<string> {
  const words = [...counts].filter(
    ([word]) => word.length > 2 && word.length <= WORD_CHARACTERS_MAX && !/^\p{N}/u.test(word),
  );
  words.sort(([, one], [, other]) => other - one);
  return new Set(words.slice(0, TOPIC_WORDS_MAX).map(([word]) => word));
}

/** Counts every run of up to three neighbouring topic words. */
function countPhrases(
  words: readonly string[],
  topics: ReadonlySet<string>,
  phrases: Map<string, number>,
): void {
  for (let start = 0; start < words.length; start += 1) {
    let phrase = "";
    for (const word of words.slice(start, start + WORDS_PER_PHRASE_MAX)) {
      if (!topics.has(word)) break;
      phrase = phrase === "" ? word : `${phrase} ${word}`;
      phrases.set(phrase, (phrases.get(phrase) ?? 0) + 1);
    }
  }
}

/** A phrase that recurs is worth more than its words: it is a name for something. One that does not is chance. */
function phraseScore(phrase: string, count: number, counts: ReadonlyMap<string, number>): number {
  const words = phrase.split(" ");
  if (count < 2) return words.length === 2 ? 0.9 : 0.5;
  if (words.length === 1) return count;
  const rarest = Math.min(...words.map((word) => counts.get(word) ?? 1));
  return count * (1 + 0.8 * (words.length - 1)) * (0.5 + Math.min(1, count / rarest));
}

/** Leaves out phrases that say what a better one has said. */
function withoutOverlaps(phrases: readonly string[]): string[] {
  const kept: string[] = [];
  for (const phrase of phrases) {
    const repeats = kept.some((other) => sharesWords(phrase, other));
    if (!repeats) kept.push(phrase);
  }
  return kept;
}

function sharesWords(phrase: string, other: string): boolean {
  const words = new Set(other.split(" ").map(singularOf));
  return phrase.split(" ").some((word) => words.has(singularOf(word)));
}

function singularOf(word: string): string {
  return word.length > 4 ? word.replace(/(?<=[^s])s$/, "") : word;
}
