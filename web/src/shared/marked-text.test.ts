import { describe, expect, it } from "vitest";
import { stretchesOf } from "./marked-text.tsx";

describe("a marked text", () => {
  it("is cut where marks begin and end, and is whole again when put together", () => {
    const text = "Write to me, now.";
    const stretches = stretchesOf(text, [
      { category: "pii", start: 6, end: 11 },
      { category: "secret", start: 9, end: 40 },
    ]);
    expect(stretches.map((one) => one.text).join("")).toBe(text);
    expect(stretches.map((one) => one.categories)).toEqual([[], ["pii"], ["pii", "secret"], ["secret"]]);
    expect(stretchesOf("a😀b", [{ category: "pii", start: 0, end: 2 }])).toEqual([
      { text: "a", start: 0, categories: ["pii"] },
      { text: "😀b", start: 1, categories: [] },
    ]);
    expect(stretchesOf("plain", [])).toEqual([{ text: "plain", start: 0, categories: [] }]);
  });
});
