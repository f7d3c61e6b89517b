import { describe, expect, it } from "vitest";
import { BUCKET_COUNT } from "./counted-words.ts";
import { createHashedFeatures, HEAD_CHARS, hashTextFeatures, TAIL_CHARS } from "./text-features.ts";

function marksOf(text: string) {
  const hashedFeatures = createHashedFeatures();
  hashTextFeatures(text, hashedFeatures);
  return {
    places: [...hashedFeatures.buckets.subarray(0, hashedFeatures.size)],
    counts: [...hashedFeatures.counters],
    length: hashedFeatures.length,
  };
}

describe("hashTextFeatures", () => {
  it("reads only the head and the tail of a long text", () => {
    const head = "Tell me of rivers. ".repeat(100).slice(0, HEAD_CHARS);
    const tail = " What is the longest of them? ".repeat(50).slice(-TAIL_CHARS);
    const around = (middle: string) => marksOf(head + middle.repeat(400_000 / middle.length) + tail);
    expect(around("abcd ")).toEqual(around("9,$\n "));
    expect(around("abcd ").length).toBe(400_000 + HEAD_CHARS + TAIL_CHARS);
  });

  it("gives each bucket once, within the table, for any text", () => {
    for (const text of [
      "",
      " ",
      "a",
      "a a a a",
      "\n\n",
      "𝒳 é 漢字",
      "x".repeat(5_000),
      "1 2 3 ".repeat(900),
      "$\\{}".repeat(900),
    ]) {
      const { places } = marksOf(text);
      expect(new Set(places).size).toBe(places.length);
      expect(Math.max(0, ...places)).toBeLessThan(BUCKET_COUNT);
    }
  });

  it("ignores case, but counts words in capitals", () => {
    const [low, high] = [marksOf("which river is longer"), marksOf("Which River is longer")];
    expect(high.places).toEqual(low.places);
    expect([low.counts[8], high.counts[8]]).toEqual([0, 2]);
  });

  it("counts words, numbers, sentences and lettered options", () => {
    const { counts } = marksOf("He had 12 apples, then half of 3.5. How many?\nA. one\nB. two\nC) three");
    expect(counts.slice(0, 8)).toEqual([14, 42, 2, 3, 1, 1, 3, 3]);
    expect(counts[10]).toBe(1);
  });
});
