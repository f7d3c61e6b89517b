import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { characterKind, countTokens, tokensOfRun } from "./count-tokens.ts";

const PROSE =
  "The harbour was quiet that morning. Two boats lay at anchor, and the only sound came from the gulls, which argued over something they had found between the stones. Nobody expected the ferry before noon, so the café kept its shutters closed and its chairs on the tables. When the first passengers finally arrived, they asked for coffee, for directions, and for an explanation of the delay.";
const CODE = `export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
`;

/** The same count by its definition, run by run. */
function countRuns(text: string): number {
  let tokens = 0;
  for (let index = 0; index < text.length; ) {
    const kind = characterKind(text.charCodeAt(index));
    let end = index + 1;
    while (end < text.length && characterKind(text.charCodeAt(end)) === kind) end++;
    tokens += tokensOfRun(kind, end - index);
    index = end;
  }
  return tokens;
}

describe("countTokens", () => {
  // The exact counts are those of the o200k_base tokenizer.
  it.each([
    ["English prose", PROSE, 78, 0.1],
    ["code", CODE, 88, 0.2],
    [
      "German with long words",
      "Die Rechtsschutzversicherungsgesellschaften übernahmen gestern überraschend sämtliche Kosten.",
      16,
      0.35,
    ],
    ["Chinese", "今天早上港口很安静。两艘船停泊在那里，唯一的声音来自海鸥。", 25, 0.25],
    ["Japanese", "今朝の港は静かだった。二隻の船が錨を下ろしていた。", 23, 0.25],
    ["Korean", "오늘 아침 항구는 조용했다. 두 척의 배가 정박해 있었다.", 21, 0.25],
    ["Russian", "Сегодня утром в гавани было тихо. Две лодки стояли на якоре, и только чайки спорили.", 26, 0.25],
    ["Arabic", "كان الميناء هادئا هذا الصباح وكان هناك قاربان راسيان.", 18, 0.25],
    ["Hindi", "आज सुबह बंदरगाह शांत था और दो नावें लंगर डाले खड़ी थीं।", 21, 0.25],
    ["emoji", "😀😃😄🎉🚀👍🏽👨‍👩‍👧‍👦", 23, 0.25],
    ["digits", "3.14159265358979323846264338327950288419716939937510", 19, 0.1],
    ["a checksum", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 43, 0.1],
  ])("is close to the exact count for %s", (_what, text, exact, tolerance) => {
    const error = Math.abs(countTokens(text) - exact) / exact;
    expect(error, `${countTokens(text)} counted, ${exact} exact`).toBeLessThanOrEqual(tolerance);
  });

  it("is the sum of the tokens of all runs, in whatever windows the text is read", () => {
    const run = fc.tuple(fc.constantFrom(..."aZ09 \t\n\r.,{é✓ж安\ud83d"), fc.integer({ min: 1, max: 40 }));
    const plain = fc.tuple(fc.constantFrom(..."aZ09 \t\n.{"), fc.integer({ min: 1, max: 30 }));
    const written = (runs: readonly (readonly [string, number])[]) =>
      runs.map(([letter, length]) => letter.repeat(length)).join("");
    fc.assert(
      fc.property(fc.array(run, { maxLength: 60 }), fc.array(plain, { maxLength: 80 }), (any, ascii) => {
        for (const text of [written(any), written(ascii)]) expect(countTokens(text)).toBe(countRuns(text));
      }),
      { numRuns: 300 },
    );
    for (const piece of [PROSE.replace("é", "e"), CODE, "a", "9 ", "\n\n\n"]) {
      for (const length of [63, 64, 65, 383, 384, 385, 386, 16_383, 16_384, 16_385, 40_001]) {
        const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
        expect(countTokens(text)).toBe(countRuns(text));
      }
    }
    // Without a run boundary in some quarter of a window.
    for (const lengths of [[9_000], [100, 8_000], [3_000, 5_000], [5_000, 3_000], [2_500, 100, 6_000], [16_384, 700]]) {
      const text = lengths.map((length, at) => "a9 ".charAt(at).repeat(length)).join("");
      expect(countTokens(text)).toBe(countRuns(text));
    }
  });

  it("is 0 for an empty text, and an integer for any text", () => {
    expect(countTokens("")).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(Number.isSafeInteger(countTokens(text))).toBe(true);
        expect(countTokens(text)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("follows the same rule for runs of any length", () => {
    for (let length = 9; length < 200; length++) {
      expect(countTokens("a".repeat(length))).toBe(Math.ceil(length / 5));
      expect(countTokens("7".repeat(length))).toBe(Math.ceil(length / 3));
      expect(countTokens("安".repeat(length))).toBe(length);
    }
  });

  it("of a text equals the sum for its halves, except where the cut splits a run", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "B", "7", " ", "\n", ".", "{", "é", "ж", "安", "😀"),
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const seam = countTokens(one + other) - countTokens(one) - countTokens(other);
        expect(Math.abs(seam)).toBeLessThanOrEqual(2);
      }),
      { numRuns: 300 },
    );
  });

  it("never exceeds the text's length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(countTokens(text)).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it("grows in proportion to the text", () => {
    for (const piece of [PROSE, CODE, "安静", "😀", "word "]) {
      const once = countTokens(piece.repeat(100));
      expect(countTokens(piece.repeat(1_000)) / once).toBeCloseTo(10, 1);
    }
  });

  it("takes linear time, even for one endless word", () => {
    for (const letter of ["a", " ", "安", "!", "\n", "😀"]) {
      expect(countTokens(letter.repeat(400_000))).toBeGreaterThan(40_000);
    }
  });
});
