import { expect, it } from "vitest";
import { codePointBoundary, replaceLoneSurrogates, truncateText } from "./code-points.ts";

it("a place within a character is one further back, and any other stays", () => {
  expect([0, 1, 2, 3, 4].map((place) => codePointBoundary("a😀b", place))).toEqual([0, 1, 1, 3, 4]);
  // Halves that stand alone are nobody's other half.
  expect(codePointBoundary("\ud83d\ud83d", 1)).toBe(1);
  expect(codePointBoundary("a\ude00", 1)).toBe(1);
});

it("the beginning of a text ends with a whole character", () => {
  expect(truncateText("a😀b", 2)).toBe("a");
  expect(truncateText("a😀b", 3)).toBe("a😀");
  expect(truncateText("a😀", 9)).toBe("a😀");
});

it("half a character is marked as unreadable, and all else stays in its place", () => {
  expect(replaceLoneSurrogates("a\ud83d 😀 \ude00b")).toBe("a\ufffd 😀 \ufffdb");
});
