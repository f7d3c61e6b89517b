/** Signs of other scripts and of typesetting, beside the plain sign that they are read as. */
const PLAIN_SIGNS: readonly (readonly [plain: string, signs: string])[] = [
  ["'", "‘’ʼ＇"],
  ['"', "“”„«»‹›「」『』《》〈〉＂"],
  ["?", "？؟¿;՞"],
  [".", "。．…।॥۔"],
  ["!", "！¡"],
  [",", "，、،؛；"],
  [":", "：·・"],
  ["(", "（【［｛"],
  [")", "）】］｝"],
  ["-", "–—‐‑−－～〜"],
  ["*", "×÷＊"],
  ["+", "＋±"],
  ["=", "＝"],
  ["/", "／"],
  ["%", "％‰"],
  ["^", "²³¹⁰⁴⁵⁶⁷⁸⁹ⁿ"],
  [" ", "\u00a0\u3000\u2028\u2029\u202f\u2060\ufeff"],
];

/**
 * What a character beyond ASCII is read as: a letter as itself in lower case, a sign as a plain one, a sign of formulas as
 * a backslash, which formulas have in ASCII.
 */
export const PLAIN_CODES = Uint16Array.from({ length: 1 << 16 }, (_, code) => code);
for (let code = 0x80; code < 0x590; code++) PLAIN_CODES[code] = String.fromCharCode(code).toLowerCase().charCodeAt(0);
for (const [from, to, plain] of [
  [0x80, 0xa9, "~"],
  [0xab, 0xb4, "~"],
  [0xb6, 0xb9, "~"],
  [0xbb, 0xbf, "~"],
  [0x2000, 0x200a, " "],
  [0x200e, 0x2070, "~"],
  [0x2074, 0x2089, "~"],
  [0x20a0, 0x20cf, "$"],
  [0x2190, 0x22ff, "\\"],
  [0x2300, 0x27bf, "~"],
  [0x27c0, 0x27ef, "\\"],
  [0x2900, 0x2aff, "\\"],
  [0x2b00, 0x2bff, "~"],
  [0x3000, 0x3004, "~"],
  [0x3008, 0x3030, "~"],
  [0xd800, 0xf8ff, "~"],
  [0xfe00, 0xfe4f, "~"],
] as const)
  PLAIN_CODES.fill(plain.charCodeAt(0), from, to + 1);
/** Digits and Latin letters in full width are those of ASCII. */
for (let code = 0xff01; code <= 0xff5e; code++)
  PLAIN_CODES[code] = (code - 0xfee0) | (code >= 0xff21 && code <= 0xff3a ? 32 : 0);
for (const [plain, signs] of PLAIN_SIGNS)
  for (const sign of signs) PLAIN_CODES[sign.charCodeAt(0)] = plain.charCodeAt(0);

/** Whether a script has no spaces between words, as Chinese, Japanese and Thai. Korean has them. */
export function isUnspaced(code: number): boolean {
  return code >= 0x0e00 && (code < 0x1000 || (code >= 0x2e80 && (code < 0xac00 || code > 0xd7af)));
}
