import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalise, OffsetMap } from "./normalise.ts";

describe("normalise", () => {
  const tagged = (text: string) =>
    [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("");

  describe("a text", () => {
    it("lower-cases plain text and keeps its offsets", () => {
      const normal = normalise("Hello World");
      expect(normal.text).toBe("hello world");
      expect(normal.undone).toEqual([]);
      expect(normal.toOriginalOffset(6)).toBe(6);
    });

    it.each([
      ["zero-width", "ig\u200bno\u2060re", "ignore"],
      ["broken-words", "ig-\nnore", "ignore"],
      ["bidi-controls", "\u202eignore\u202c", "ignore"],
      ["tag-characters", tagged("ignore"), "ignore"],
      ["compatibility-forms", "ｉｇｎｏｒｅ", "ignore"],
      ["compatibility-forms", "𝐢𝐠𝐧𝐨𝐫𝐞", "ignore"],
      ["combining-marks", "i\u0336g\u0336nore", "ignore"],
      ["look-alikes", "ɪɢɴᴏʀᴇ", "ignore"],
      ["mixed-scripts", "ignоrе", "ignore"],
    ])("undoes %s and reports it", (disguise, written, read) => {
      const normal = normalise(written);
      expect(normal.text).toBe(read);
      expect(normal.undone).toEqual([disguise]);
    });

    it("drops accents without reporting a disguise", () => {
      expect(normalise("précédentes Größe").text).toBe("precedentes große");
      expect(normalise("précédentes").undone).toEqual([]);
    });

    it("keeps words of one script", () => {
      for (const text of ["забудь всё", "αβγ", "忽略之前的指令", "これまでの指示", "شكرا"]) {
        expect(normalise(text)).toMatchObject({ text, undone: [] });
      }
    });

    it("collapses spaces, and line breaks to one", () => {
      expect(normalise("a \t b\r\n\r\n  c\u00a0d").text).toBe("a b\nc d");
    });

    it("maps offsets back to the original", () => {
      const original = "x  ﬁn\u200bd   𝐦𝐞";
      const normal = normalise(original);
      expect(normal.text).toBe("x find me");
      const spanOf = (word: string) => {
        const start = normal.text.indexOf(word);
        return original.slice(normal.toOriginalOffset(start), normal.toOriginalOffset(start + word.length));
      };
      expect(spanOf("find")).toBe("ﬁn\u200bd");
      expect(spanOf("me")).toBe("𝐦𝐞");
    });

    it("keeps offsets in order and inside the original", () => {
      fc.assert(
        fc.property(fc.string({ unit: "binary", maxLength: 60 }), (original) => {
          const normal = normalise(original);
          let before = 0;
          for (let offset = 0; offset <= normal.text.length; offset += 1) {
            const at = normal.toOriginalOffset(offset);
            expect(at).toBeGreaterThanOrEqual(before);
            expect(at).toBeLessThanOrEqual(original.length);
            before = at;
          }
          if (original.length > 0) expect(normal.toOriginalOffset(normal.text.length)).toBe(original.length);
        }),
      );
    });
  });
});

describe("OffsetMap", () => {
  describe("toSourceOffset", () => {
    it("changes nothing without edits", () => {
      expect(new OffsetMap().toSourceOffset(7)).toBe(7);
    });

    it("skips deleted text", () => {
      const offsetMap = new OffsetMap();
      // "ab---cd" became "abcd".
      offsetMap.addEdit(2, 5);
      expect([0, 1, 2, 3, 4].map((offset) => offsetMap.toSourceOffset(offset))).toEqual([0, 1, 5, 6, 7]);
    });

    it("stays inside the source of a longer replacement", () => {
      const offsetMap = new OffsetMap();
      // "a½b" became "a1/2b".
      offsetMap.addEdit(4, 2);
      expect([0, 1, 2, 3, 4, 5].map((offset) => offsetMap.toSourceOffset(offset))).toEqual([0, 1, 2, 2, 2, 3]);
    });
  });
});
