const LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};

/** A word of letters and digits. File names and versions look like that too, so one alone is not taken for leetspeak. */
const LEET_WORD = /\b(?=[a-z0-9@$]{0,24}[a-z])[a-z0-9@$]{0,24}[013457@$][a-z0-9@$]{0,24}/g;
const LEET_PAIR = /[a-z][013457@$]|[013457@$][a-z]/;
const LEET_DIGIT = /[013457@$]/g;
const LEET_WORDS_MIN = 2;

/** The text with digits read as the letters that they imitate, or undefined where too few words look like that. Offsets stay. */
export function readLeetspeak(text: string): string | undefined {
  if (text.search(LEET_PAIR) === -1) return undefined;
  let words = 0;
  const read = text.replace(LEET_WORD, (word) => {
    words += 1;
    return word.replace(LEET_DIGIT, (digit) => LETTERS[digit] ?? digit);
  });
  return words >= LEET_WORDS_MIN ? read : undefined;
}
