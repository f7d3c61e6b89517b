import { measureFluency } from "./letter-model.ts";
import { invertCharacterTable } from "./look-alikes.ts";
import type { DecodedSpan } from "./piece.ts";

/** Letters that stand on their heads, and letters as a mirror shows them. */
const FLIPPED_LETTERS = invertCharacterTable({
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
const UPSIDE_DOWN_SWAPS: Readonly<Record<string, string>> = {
  b: "q",
  q: "b",
  d: "p",
  p: "d",
  n: "u",
  u: "n",
};
const FLIPPED_LETTER = /[ɐɒɔↄǝɘəɟꟻƃᵷϱǫɥᴉɾʞꞁɯᴎɹɿƨʇʌʍʎ]/g;
const MIRRORED_ONLY = /[ɒɘꟻϱɿƨᴎↄ]/;
const FLIPPED_LETTERS_MIN = 3;
const FLUENCY_MIN = 0.4;

/** Lines that stand on their heads or are seen in a mirror. */
export function findUpsideDownLetters(text: string): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const read = decodeLine(line);
    if (read !== undefined)
      found.push({ start, end: start + line.length, text: read, undone: "turned-letters" });
    start += line.length + 1;
  }
  return found;
}

function decodeLine(line: string): string | undefined {
  if ((line.match(FLIPPED_LETTER)?.length ?? 0) < FLIPPED_LETTERS_MIN) return undefined;
  const upsideDown = !MIRRORED_ONLY.test(line);
  const letters = Array.from(line.toLowerCase(), (letter) => FLIPPED_LETTERS.get(letter) ?? letter);
  const plain = letters.join("");
  const flipped = Array.from(
    line.toLowerCase(),
    (letter) => FLIPPED_LETTERS.get(letter) ?? (upsideDown ? UPSIDE_DOWN_SWAPS[letter] : undefined) ?? letter,
  )
    .reverse()
    .join("");
  const better = measureFluency(flipped).fluency > measureFluency(plain).fluency ? flipped : plain;
  return measureFluency(better).fluency > FLUENCY_MIN ? better : undefined;
}
