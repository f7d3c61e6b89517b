/** What kinds of characters a stride holds. One look at it spares most of those who follow an answer theirs. */
export const SIGN = {
  digit: 1,
  at: 2,
  /** A colon or an equals sign. */
  assignment: 4,
  slash: 8,
  angle: 16,
  bracket: 32,
  tick: 64,
  dash: 128,
  /** A letter that may be read as another, or that nobody sees. */
  strange: 256,
  /** No white space at all. */
  unbroken: 512,
} as const;

const OTHERS = [
  ["@", SIGN.at],
  [":=", SIGN.assignment],
  ["/\\", SIGN.slash],
  ["<>", SIGN.angle],
  ["[]", SIGN.bracket],
  ["`", SIGN.tick],
  ["-", SIGN.dash],
  ["0123456789", SIGN.digit],
] as const;

const SIGNS = new Uint16Array(128);
for (const [characters, sign] of OTHERS)
  for (const character of characters) SIGNS[character.charCodeAt(0)] = sign;

/** Of the stride of a text from one place to another. */
export function signsOf(text: string, from: number, to: number): number {
  let signs = 0;
  let isBroken = false;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32) isBroken = true;
    signs |= code < 128 ? (SIGNS[code] ?? 0) : isSteady(code) ? 0 : SIGN.strange;
  }
  return isBroken ? signs : signs | SIGN.unbroken;
}

/** Letters of scripts that look like no other, and common marks. */
function isSteady(code: number): boolean {
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
