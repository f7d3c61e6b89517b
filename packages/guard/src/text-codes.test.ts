import { describe, expect, it } from "vitest";
import { codesOf, pairsOf } from "./text-codes.ts";

const LONG = "The harbour was quiet, and the letters lay unread on the table. ";

function textOf(codes: Uint16Array, length: number): string {
  return Array.from(codes.subarray(0, length), (code) => String.fromCharCode(code)).join("");
}

describe("the codes of a text", () => {
  it("are those of the text that is asked for, whatever was read before", () => {
    const other = LONG.replace("quiet", "noisy");
    for (const text of [LONG, LONG, "short", LONG, other, other, LONG, "é😀", "", other])
      expect(textOf(codesOf(text), text.length)).toBe(text);
  });

  it("can be read in pairs, also of a text that is too long to share them", () => {
    for (const text of [LONG, LONG.repeat(2_000).slice(0, 70_001)]) {
      const codes = codesOf(text);
      const halves = new Uint16Array(pairsOf(codes).buffer);
      expect(textOf(halves, text.length)).toBe(text);
    }
  });
});
