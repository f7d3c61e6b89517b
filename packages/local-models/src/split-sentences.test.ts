import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitSentences } from "./split-sentences.ts";

describe("splitting a text into sentences", () => {
  it.each([
    ["Hello there. How are you? Fine!", ["Hello there.", "How are you?", "Fine!"]],
    ["Dr. Smith met J. Doe at 5 p.m. on Monday.", ["Dr. Smith met J. Doe at 5 p.m. on Monday."]],
    ["It costs 3.50 in total. Cheap.", ["It costs 3.50 in total.", "Cheap."]],
    ['He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]],
    ["A heading\n\nA paragraph\nof two lines.", ["A heading", "A paragraph of two lines."]],
    ["Buy:\n- bread\n- milk", ["Buy:", "- bread", "- milk"]],
    ["今日は晴れ。明日は雨！", ["今日は晴れ。", "明日は雨！"]],
    ["", []],
  ])("%j", (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  it("keeps every word of any text, in order", () => {
    const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "B", ".", "!", " ", "\n", "。", '"', "-", "1") }),
        (text) => {
          expect(splitSentences(text).join("").replace(/\s/g, "")).toBe(wordsOf(text).join(""));
        },
      ),
    );
  });
});
