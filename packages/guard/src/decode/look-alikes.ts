/** Letters that only look like Latin ones and that no Unicode form calls compatible: small capitals and the like. */
const LOOK_ALIKES = invertCharacterTable({
  a: "ᴀɑⱥ⍺ꬰ",
  b: "ʙƀɓ",
  c: "ᴄƈȼꞓ",
  d: "ᴅɗɖᴆ",
  e: "ᴇɛɇꬲ",
  f: "ꜰƒꬵ",
  g: "ɢɡǥɠ",
  h: "ʜɦħ",
  i: "ɪıɩɨ⍳ꙇ",
  j: "ᴊɉȷ",
  k: "ᴋƙĸ",
  l: "ʟłƚɫɭ",
  m: "ᴍɱ",
  n: "ɴƞɲɳŋ",
  o: "ᴏøɵ",
  p: "ᴘƥ⍴",
  q: "ꞯɋ",
  r: "ʀɍɽ",
  s: "ꜱʂ",
  t: "ᴛŧƭʈ",
  u: "ᴜʉʋ",
  v: "ᴠ",
  w: "ᴡ⍵",
  x: "ⅹ",
  y: "ʏɏƴ",
  z: "ᴢƶȥ",
  "!": "ǃ",
});

/** Letters with a stroke that whole languages are written with: bare like accents, and no disguise. */
const LANGUAGE_LETTERS = invertCharacterTable({ d: "đ", h: "ħ", l: "ł", o: "ø", t: "ŧ", i: "ı", n: "ŋ" });

/** The Latin letter that a character looks like and is no form of. */
export function latinLookAlike(point: string): string | undefined {
  return LOOK_ALIKES.get(point) ?? LOOK_ALIKES.get(point.toLowerCase());
}

/** Whether a look-alike is at home in some language that is written in Latin letters. */
export function isLanguageLetter(point: string): boolean {
  return LANGUAGE_LETTERS.has(point.toLowerCase());
}

/** By each character of the values, its key. */
export function invertCharacterTable(
  writtenAs: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(writtenAs).flatMap(([letter, others]) =>
      [...others].map((other): [string, string] => [other, letter]),
    ),
  );
}
