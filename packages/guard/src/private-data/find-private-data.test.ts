import { describe, expect, it } from "vitest";
import { findPrivateData, LongTextSearch } from "./find-private-data.ts";

describe("findPrivateData", () => {
  const found = (text: string) =>
    findPrivateData(text).map(({ category, kind, start, end }) => [category, kind, text.slice(start, end)]);

  // Composed at run time, so that no secret scanner reports this file.
  const AWS_KEY = `AKIA${"QZ7WRT2XKLM4NPGV"}`;

  describe("in a text", () => {
    it("finds nothing in everyday words, numbers, dates and code", () => {
      for (const text of [
        "",
        "The internationalization of trade in 2019 was discussed on 12 March 2020 at 10:30 by 1,234 people.",
        "const answer = await fetch(`https://api.host.dev/v1/items/7`); // see issue #1234567890",
        "commit 9f4a456c0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f6, build 20240312.4, sha256: 9f86d081884c7d659a2feaa0c55ad015",
        "ISBN 978-3-16-148410-0, EAN 4006381333931, UUID 550e8400-e29b-41d4-a716-446655440000",
      ])
        expect(found(text)).toEqual([]);
    });

    it("reports category and kind in the order of the text", () => {
      expect(found(`mail jo.doe@firma.de, key ${AWS_KEY}, card 4111 1111 1111 1111`)).toEqual([
        ["pii", "email", "jo.doe@firma.de"],
        ["secret", "api_key", AWS_KEY],
        ["pii", "card", "4111 1111 1111 1111"],
      ]);
    });

    it("reports overlapping values once, as the most confident kind", () => {
      expect(found("postgres://app:k7Gq2LxW9z@db.firma.de/main")).toEqual([["secret", "password", "k7Gq2LxW9z"]]);
      expect(found("card 4111 1111 1111 1111, call")).toHaveLength(1);
    });

    it.each([
      ["at signs", "@a."],
      ["addresses", "a@b."],
      ["digits", "4"],
      ["groups", "4111 "],
      ["account numbers", "DE12 3456 "],
      ["plus signs", "+1 "],
      ["hyphens", "1-"],
      ["colons", "a:b"],
      ["equals signs", "password="],
      ["quotes", 'password="'],
      ["schemes", "a://b:c"],
      ["key beginnings", "sk-"],
      ["key bodies", "sk-ant-aB3x"],
      ["web tokens", "eyJhbGci."],
      ["private keys", "-----BEGIN PRIVATE KEY-----"],
      ["key lines", "MIIEvQIBADANBgkqhkiG\n"],
      ["dots", " at a dot b"],
      ["brackets", "(at)"],
      ["passwords", "password is "],
      ["capitals", "ABCDEF12"],
      ["network addresses", "1.2.3.4."],
      ["hex with colons", "ab:"],
      ["spaces", " "],
      ["hexadecimal", "0xabcdef0123456789"],
    ])("ends on a long text, where quadratic work would take minutes: %s", { timeout: 120_000 }, (_name, unit) => {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      for (const { start, end } of findPrivateData(text)) expect(end).toBeGreaterThan(start);
    });
  });
});

describe("LongTextSearch", () => {
  const LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
  const keyOf = (lines: number) => `-----BEGIN PRIVATE KEY-----\n${LINE.repeat(lines)}-----END PRIVATE KEY-----`;

  const findIn = (text: string, findValues = findPrivateData) => {
    const search = new LongTextSearch(findValues, text);
    while (search.next());
    return search.found;
  };
  const valuesIn = (text: string) => findIn(text).map(({ start, end }) => text.slice(start, end));

  describe("in pieces", () => {
    it("finds the whole of a value longer than a piece, wherever it begins", () => {
      for (const lines of [245, 260, 390])
        for (const before of [0, 300, 511, 512, 513, 9_000, 15_800, 16_370, 40_000]) {
          const key = keyOf(lines);
          const text = `${" ".repeat(before)}${key}\nand then jo.doe@firma.de ${"word ".repeat(5_000)}`;
          expect(valuesIn(text)).toEqual([key, "jo.doe@firma.de"]);
        }
    });

    it("reads a text of many long values only a few times", () => {
      const key = keyOf(240);
      const text = `${key}\n`.repeat(30);
      let read = 0;
      const found = findIn(text, (piece) => {
        read += piece.length;
        return findPrivateData(piece);
      });
      expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(Array(30).fill(key));
      expect(read).toBeLessThan(6 * text.length);
    });

    it("reads an endless value only a few times", () => {
      const text = `api key: ${"aB3xK9mQ7z".repeat(20_000)}`;
      let read = 0;
      findIn(text, (piece) => {
        read += piece.length;
        return findPrivateData(piece);
      });
      expect(read).toBeLessThan(6 * text.length);
    });
  });
});
