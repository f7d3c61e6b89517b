import { expect, it } from "vitest";
import { codePointBoundary, replaceLoneSurrogates, truncateText } from "./code-points.ts";

it("codePointBoundary moves an offset inside a surrogate pair one back, and keeps any other", () => {
  expect([0, 1, 2, 3, 4].map((place) => codePointBoundary("a😀b", place))).toEqual([0, 1, 1, 3, 4]);
  // Lone surrogates form no pair.
  expect(codePointBoundary("\ud83d\ud83d", 1)).toBe(1);
  expect(codePointBoundary("a\ude00", 1)).toBe(1);
});

it("truncateText never splits a surrogate pair", () => {
  expect(truncateText("a😀b", 2)).toBe("a");
  expect(truncateText("a😀b", 3)).toBe("a😀");
  expect(truncateText("a😀", 9)).toBe("a😀");
});

it("replaceLoneSurrogates marks lone surrogates and keeps everything else in place", () => {
  expect(replaceLoneSurrogates("a\ud83d 😀 \ude00b")).toBe("a\ufffd 😀 \ufffdb");
});
