import { describe, expect, it } from "vitest";
import { PIECE_CHARACTERS, piecesOf } from "./text-pieces.ts";

describe("the pieces of a text", () => {
  it("overlap, cover all of it and are cut between words", () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `word${at} `).join("");
    const pieces = [...piecesOf(text)];
    expect(pieces.length).toBeGreaterThan(3);
    for (let at = 0; at < text.length; at += 400)
      expect(pieces.some(({ start, end }) => start <= at && end >= Math.min(text.length, at + 400))).toBe(true);
    for (const { start } of pieces.slice(1)) expect(text.charAt(start - 1)).toBe(" ");
  });

  it("are one for a short text", () => {
    expect([...piecesOf("short")]).toEqual([{ start: 0, end: 5 }]);
    expect([...piecesOf("")]).toEqual([{ start: 0, end: 0 }]);
  });

  it("never split a surrogate pair", () => {
    const text = `x${"😀".repeat(PIECE_CHARACTERS)}`;
    for (const { start, end } of piecesOf(text)) expect(() => encodeURIComponent(text.slice(start, end))).not.toThrow();
  });
});
