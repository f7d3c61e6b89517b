import { readingOf } from "./letter-model.ts";
import { tableOf } from "./look-alikes.ts";
import type { Piece } from "./piece.ts";

/** Letters that stand on their heads, and letters as a mirror shows them. */
const TURNED = tableOf({
  a: "ɐɒ",
  b: "",
  c: "ɔↄ",
  d: "",
  e: "ǝɘə",
  f: "ɟꟻ",
  g: "ƃᵷϱǫ",
  h: "ɥ",
  i: "ᴉı",
  j: "ɾ",
  k: "ʞ",
  l: "ꞁ",
  m: "ɯ",
  n: "ᴎ",
  p: "",
  r: "ɹɿ",
  s: "ƨ",
  t: "ʇ",
  u: "",
  v: "ʌ",
  w: "ʍ",
  y: "ʎ",
  "?": "¿",
  "!": "¡",
});
/** Letters that become others when they stand on their heads. */
const UPSIDE_DOWN: Readonly<Record<string, string>> = { b: "q", q: "b", d: "p", p: "d", n: "u", u: "n" };
const TURNED_LETTER = /[ɐɒɔↄǝɘəɟꟻƃᵷϱǫɥᴉɾʞꞁɯᴎɹɿƨʇʌʍʎ]/g;
const MIRRORED_ONLY = /[ɒɘꟻϱɿƨᴎↄ]/;
const TURNED_MIN = 3;
const FLUENCY_MIN = 0.4;

/** Lines that stand on their heads or are seen in a mirror. */
export function findTurnedLetters(text: string): Piece[] {
  const found: Piece[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const read = readLine(line);
    if (read !== undefined)
      found.push({ start, end: start + line.length, text: read, undone: "turned-letters" });
    start += line.length + 1;
  }
  return found;
}

function readLine(line: string): string | undefined {
  if ((line.match(TURNED_LETTER)?.length ?? 0) < TURNED_MIN) return undefined;
  const upsideDown = !MIRRORED_ONLY.test(line);
  const letters = Array.from(line.toLowerCase(), (letter) => TURNED.get(letter) ?? letter);
  const plain = letters.join("");
  const flipped = Array.from(
    line.toLowerCase(),
    (letter) => TURNED.get(letter) ?? (upsideDown ? UPSIDE_DOWN[letter] : undefined) ?? letter,
  )
    .reverse()
    .join("");
  const better = readingOf(flipped).fluency > readingOf(plain).fluency ? flipped : plain;
  return readingOf(better).fluency > FLUENCY_MIN ? better : undefined;
}
