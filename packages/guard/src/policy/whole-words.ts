/** What words are made of. */
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** Scripts that put no spaces between words, or hang endings on them that are words of their own. */
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a stretch of a text neither begins nor ends within a word. */
export function areWholeWords(text: string, start: number, end: number): boolean {
  return !isWithinWord(text, start) && !isWithinWord(text, end);
}

function isWithinWord(text: string, place: number): boolean {
  if (place === 0 || place === text.length) return false;
  return (
    isSpacedWordCharacter(characterBefore(text, place)) && isSpacedWordCharacter(characterAt(text, place))
  );
}

function isSpacedWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character) && !UNSPACED_SCRIPT.test(character);
}

function characterAt(text: string, place: number): string {
  return String.fromCodePoint(text.codePointAt(place) ?? 0);
}

function characterBefore(text: string, place: number): string {
  const isPair = place > 1 && (text.codePointAt(place - 2) ?? 0) > 0xffff;
  return characterAt(text, isPair ? place - 2 : place - 1);
}
