/** With which signs sentences end, and what stands in a cell, a tag or a value. */

/** Ends a sentence where a space follows, as also stands in numbers and addresses. */
export const ENDS_BEFORE_SPACE = 1;
/** Ends whatever stands before it. */
export const ENDS_ALWAYS = 2;
/** Ends what stands before it in quotes. */
export const ENDS_AFTER_QUOTE = 3;

const SENTENCE_END_SIGNS: readonly (readonly [signs: string, kind: number])[] = [
  [".!?:", ENDS_BEFORE_SPACE],
  ["|<>;", ENDS_ALWAYS],
  [",}]", ENDS_AFTER_QUOTE],
];

/** Quotes; those that are read as apostrophes are no signs otherwise. */
export function isQuoteCode(given: number): boolean {
  return given === 34 || given === 39;
}

/** By the code of a sign; 0 for those that end nothing. */
export const SENTENCE_END_KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return SENTENCE_END_SIGNS.find(([signs]) => signs.includes(sign))?.[1] ?? 0;
});

const [LINE_BREAK_CODE, SPACE_CODE] = [10, 32];

/** What a letter after a backslash stands for, as in JSON: a line break, a gap, or nothing but itself. */
export function escapedWhitespace(code: number): number | undefined {
  if (code === 110) return LINE_BREAK_CODE;
  return code === 114 || code === 116 ? SPACE_CODE : undefined;
}
