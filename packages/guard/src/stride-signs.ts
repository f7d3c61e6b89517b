/** What kinds of characters a stride holds. One look at it spares most of those who follow an answer theirs. */
export const CHARACTER_CLASS = {
  digit: 1,
  at: 2,
  /** A colon or an equals sign. */
  assignment: 4,
  slash: 8,
  angleBracket: 16,
  bracket: 32,
  backtick: 64,
  dash: 128,
  /** A letter that may be read as another, or that nobody sees. */
  confusable: 256,
  /** No white space at all. */
  noWhitespace: 512,
} as const;

const CHARACTERS_BY_CLASS = [
  ["@", CHARACTER_CLASS.at],
  [":=", CHARACTER_CLASS.assignment],
  ["/\\", CHARACTER_CLASS.slash],
  ["<>", CHARACTER_CLASS.angleBracket],
  ["[]", CHARACTER_CLASS.bracket],
  ["`", CHARACTER_CLASS.backtick],
  ["-", CHARACTER_CLASS.dash],
  ["0123456789", CHARACTER_CLASS.digit],
] as const;

const CLASS_BY_CODE = new Uint16Array(128);
for (const [characters, sign] of CHARACTERS_BY_CLASS)
  for (const character of characters) CLASS_BY_CODE[character.charCodeAt(0)] = sign;

/** Of the stride of a text from one place to another. */
export function characterClassesIn(text: string, from: number, to: number): number {
  let signs = 0;
  let isBroken = false;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32) isBroken = true;
    signs |= code < 128 ? (CLASS_BY_CODE[code] ?? 0) : isUnambiguous(code) ? 0 : CHARACTER_CLASS.confusable;
  }
  return isBroken ? signs : signs | CHARACTER_CLASS.noWhitespace;
}

/** Letters of scripts that look like no other, and common marks. */
function isUnambiguous(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x05d0 && code <= 0x06ff && code !== 0x061c) ||
    (code >= 0x0900 && code <= 0x0dff) ||
    (code >= 0x2010 && code <= 0x2027) ||
    code === 0x3001 ||
    code === 0x3002 ||
    (code >= 0x2190 && code <= 0x21ff)
  );
}
