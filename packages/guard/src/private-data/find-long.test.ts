import { describe, expect, it } from "vitest";
import { runToEnd } from "../resumable.ts";
import { findInLongText } from "./find-long.ts";
import { findPrivateDataResumable } from "./private-data.ts";

const LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
const keyOf = (lines: number) =>
  `-----BEGIN PRIVATE KEY-----\n${LINE.repeat(lines)}-----END PRIVATE KEY-----`;

const valuesIn = (text: string) =>
  runToEnd(findInLongText(findPrivateDataResumable, text)).map(({ start, end }) => text.slice(start, end));

describe("findLong", () => {
  it("finds all of a value that is longer than a piece, wherever it begins", () => {
    for (const lines of [245, 260, 390])
      for (const before of [0, 300, 511, 512, 513, 9_000, 15_800, 16_370, 40_000]) {
        const key = keyOf(lines);
        const text = `${" ".repeat(before)}${key}\nand then jo.doe@firma.de ${"word ".repeat(5_000)}`;
        expect(valuesIn(text)).toEqual([key, "jo.doe@firma.de"]);
      }
  });

  it("reads a text of many long values a few times over and no more", () => {
    const key = keyOf(240);
    const text = `${key}\n`.repeat(30);
    let read = 0;
    const found = runToEnd(
      findInLongText((piece) => {
        read += piece.length;
        return findPrivateDataResumable(piece);
      }, text),
    );
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(Array(30).fill(key));
    expect(read).toBeLessThan(6 * text.length);
  });

  it("reads a value without end a few times over and no more", () => {
    const text = `api key: ${"aB3xK9mQ7z".repeat(20_000)}`;
    let read = 0;
    runToEnd(
      findInLongText((piece) => {
        read += piece.length;
        return findPrivateDataResumable(piece);
      }, text),
    );
    expect(read).toBeLessThan(6 * text.length);
  });
});
