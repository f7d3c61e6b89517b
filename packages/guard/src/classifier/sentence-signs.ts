/** With which signs sentences end, and what stands in a cell, a tag or a value. */

/** Ends a sentence where a space follows, as also stands in numbers and addresses. */
export const BEFORE_SPACE = 1;
/** Ends whatever stands before it. */
export const ALWAYS = 2;
/** Ends what stands before it in quotes. */
export const AFTER_QUOTE = 3;

const KINDS: readonly (readonly [signs: string, kind: number])[] = [
  [".!?:", BEFORE_SPACE],
  ["|<>;", ALWAYS],
  [",}]", AFTER_QUOTE],
];

/** Quotes; those that are read as apostrophes are no signs otherwise. */
export function isQuoteSign(given: number): boolean {
  return given === 34 || given === 39;
}

/** By the code of a sign; 0 for those that end nothing. */
export const ENDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return KINDS.find(([signs]) => signs.includes(sign))?.[1] ?? 0;
});

const [LINE, SPACE] = [10, 32];

/** What a letter after a backslash stands for, as in JSON: a line break, a gap, or nothing but itself. */
export function escapedBy(code: number): number | undefined {
  if (code === 110) return LINE;
  return code === 114 || code === 116 ? SPACE : undefined;
}
