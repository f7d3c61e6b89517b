import { describe, expect, it } from "vitest";
import { toSpeakableText } from "./speakable.ts";

describe("what an English voice can read", () => {
  it.each([
    ["Hello.", "Hello."],
    ["Café “naïve” — über 5…", 'Cafe "naive" - uber 5...'],
    ["Straße", "Strasse"],
    ["It costs €5", "It costs euros 5"],
    ["One. Two.", "One.\n\nTwo."],
    ["Tab\there", "Tab here"],
    ["Hi 🙂 there", "Hi there"],
  ])("%j is read as %j", (text, read) => {
    expect(toSpeakableText(text)).toBe(read);
  });

  it.each(["", "!!!", "🙂", "你好世界", "Привет, как дела", "Hi 你好世界再见"])(
    "%j can't be read",
    (text) => {
      expect(toSpeakableText(text)).toBeUndefined();
    },
  );

  it("is never one long breath", () => {
    for (const text of ["9".repeat(3_000), "word ".repeat(600), "a, ".repeat(1_000)]) {
      const breaths = toSpeakableText(text)?.split("\n\n") ?? [];
      expect(Math.max(...breaths.map((breath) => breath.length))).toBeLessThanOrEqual(240);
      expect(breaths.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
    }
  });
});
