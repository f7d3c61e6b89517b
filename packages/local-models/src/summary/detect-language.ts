import { LATIN_LANGUAGES, SCRIPT_LANGUAGES } from "./languages.ts";

/** This many characters tell a language as well as all of them. */
const SAMPLE_CHARACTERS = 8_000;
/** Japanese mixes its own letters with Chinese ones: a fifth of them is enough to tell. */
const SCRIPT_SHARE_MIN = 0.2;
/** Fewer common words than this share, and the text may be a list of names, or a language not known here. */
const COMMON_SHARE_MIN = 0.12;
const WORDS_MIN = 3;

/** The language a text is written in, by its letters and its commonest words; undefined where that does not tell. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE_CHARACTERS).toLowerCase();
  const letters = countOf(sample, /\p{L}/gu);
  if (letters === 0) return undefined;

  const byScript = SCRIPT_LANGUAGES.find(
    (script) => countOf(sample, script.letters) / letters > SCRIPT_SHARE_MIN,
  );
  if (byScript !== undefined) return byScript.name;
  if (countOf(sample, /\p{Script=Cyrillic}/gu) / letters > 0.5) return cyrillicLanguageOf(sample);
  return latinLanguageOf(sample, letters);
}

/** Ukrainian and Russian share most letters; these few they do not. */
function cyrillicLanguageOf(sample: string): string {
  return countOf(sample, /[іїєґ]/gu) > countOf(sample, /[ыэъё]/gu) ? "Ukrainian" : "Russian";
}

function latinLanguageOf(sample: string, letters: number): string | undefined {
  const words = sample.match(/[\p{L}\p{M}]+/gu) ?? [];
  if (words.length < WORDS_MIN) return undefined;
  const scored = LATIN_LANGUAGES.map(({ name, commonWords, ownLetters }) => {
    const common = words.filter((word) => commonWords.has(word)).length / words.length;
    return { name, common, score: common + Math.min(0.15, (2 * countOf(sample, ownLetters)) / letters) };
  }).sort((left, right) => right.score - left.score);
  const best = scored[0];
  return best !== undefined && best.common >= COMMON_SHARE_MIN ? best.name : undefined;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
