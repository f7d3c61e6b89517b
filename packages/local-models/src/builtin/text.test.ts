import { wordsIn } from "@trunkline/testing/builtin-inference.ts";
import { collect } from "@trunkline/testing/collect.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitSentences, streamText } from "./text.ts";

describe("text", () => {
  const calm = new AbortController().signal;
  const streamed = (answer: string, maxTokens?: number) => collect(streamText("Asked?", answer, maxTokens, calm));

  describe("streamText", () => {
    it("yields sentence by sentence, then the usage and the finish", async () => {
      expect(await streamed("One two. Three!\n\nFour")).toEqual([
        { type: "text", text: "One two. " },
        { type: "text", text: "Three!\n\n" },
        { type: "text", text: "Four" },
        { type: "usage", inputTokens: 2, outputTokens: 6 },
        { type: "finish", reason: "stop" },
      ]);
    });

    it("keeps every character", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
          expect(wordsIn(await streamed(text))).toBe(text);
        }),
      );
    });

    it("stops at about the requested number of tokens, and says so", async () => {
      const parts = await streamed("Four score and seven years ago our fathers brought forth", 3);
      expect(wordsIn(parts)).toBe("Four score a");
      expect(parts.slice(-2)).toEqual([
        { type: "usage", inputTokens: 2, outputTokens: 3 },
        { type: "finish", reason: "length" },
      ]);
    });

    it("does not split a character", async () => {
      expect(wordsIn(await streamed("abc😀😀", 1))).toBe("abc");
    });

    it("stops when the client disconnects", async () => {
      const caller = new AbortController();
      const parts = streamText("Asked?", "One. Two. Three.", undefined, caller.signal);
      await parts.next();
      caller.abort(new Error("gone"));
      await expect(parts.next()).rejects.toThrow("gone");
    });
  });
});

describe("sentences", () => {
  describe("splitSentences", () => {
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

    it("keeps every word in order", () => {
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
});
