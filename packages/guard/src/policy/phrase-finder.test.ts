import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PhraseFinder } from "./phrase-finder.ts";

/** The reference implementation: every phrase at every offset. */
function covered(phrases: readonly string[], text: string): boolean[] {
  const isCovered = Array.from(text, () => false);
  for (const phrase of phrases) {
    for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1))
      isCovered.fill(true, at, at + phrase.length);
  }
  return isCovered;
}

describe("PhraseFinder", () => {
  it("finds phrases that are parts of each other", () => {
    const finder = new PhraseFinder(["she", "he", "hers", "usher"]);
    expect(finder.find("ushers and his")).toEqual([{ start: 0, end: 6 }]);
    expect(finder.find("a he, a she")).toEqual([
      { start: 2, end: 4 },
      { start: 8, end: 11 },
    ]);
    expect(new PhraseFinder([]).find("nothing")).toEqual([]);
  });

  it("takes a shorter phrase where the longest is rejected", () => {
    const finder = new PhraseFinder(["b c", "a b c", "c"]);
    expect(finder.find("a b c", (_text, start) => start > 0)).toEqual([{ start: 2, end: 5 }]);
    expect(finder.find("a b c", () => false)).toEqual([]);
  });

  it("covers exactly what a search for each phrase covers", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 8 }),
        fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 }),
        (phrases, text) => {
          const isCovered = Array.from(text, () => false);
          for (const { start, end } of new PhraseFinder(phrases).find(text)) isCovered.fill(true, start, end);
          expect(isCovered).toEqual(covered(phrases, text));
        },
      ),
    );
  });
});
