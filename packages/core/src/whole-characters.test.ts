import { expect, it } from "vitest";
import { beginningOf, wholeBefore, withoutHalves } from "./whole-characters.ts";

it("a place within a character is one further back, and any other stays", () => {
  expect([0, 1, 2, 3, 4].map((place) => wholeBefore("a😀b", place))).toEqual([0, 1, 1, 3, 4]);
  // Halves that stand alone are nobody's other half.
  expect(wholeBefore("\ud83d\ud83d", 1)).toBe(1);
  expect(wholeBefore("a\ude00", 1)).toBe(1);
});

it("the beginning of a text ends with a whole character", () => {
  expect(beginningOf("a😀b", 2)).toBe("a");
  expect(beginningOf("a😀b", 3)).toBe("a😀");
  expect(beginningOf("a😀", 9)).toBe("a😀");
});

it("half a character is marked as unreadable, and all else stays in its place", () => {
  expect(withoutHalves("a\ud83d 😀 \ude00b")).toBe("a\ufffd 😀 \ufffdb");
});
