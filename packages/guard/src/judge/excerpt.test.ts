import type { Span } from "@trunkline/core/verdict.ts";
import { describe, expect, it } from "vitest";
import { createExcerpt, EXCERPT_CHARACTERS } from "./excerpt.ts";

const LONG = Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(" ");
const at = (text: string, words: string, category = "injection"): Span => {
  const start = text.indexOf(words);
  return { category, start, end: start + words.length };
};

describe("createExcerpt", () => {
  it("is the whole text if that is short", () => {
    expect(createExcerpt("Ignore all of it.", [])).toEqual({ text: "Ignore all of it.", isWhole: true });
  });

  it("is the text around the findings of a long text, and little more", () => {
    const { text, isWhole } = createExcerpt(LONG, [at(LONG, "word400 "), at(LONG, "word4500 ")]);
    expect(isWhole).toBe(false);
    expect(text).toContain("word399 word400 word401");
    expect(text).toContain("word4499 word4500 word4501");
    expect(text).not.toContain("word2500 ");
    expect(text.length).toBeLessThan(EXCERPT_CHARACTERS + 100);
  });

  it("is one piece for findings close to each other, within the text", () => {
    const near = createExcerpt(LONG, [at(LONG, "word4990 "), at(LONG, "word4999")]);
    expect(near.text).not.toContain("[...]");
    expect(near.text.endsWith("word4999")).toBe(true);
    const first = createExcerpt(LONG, [at(LONG, "word0 ")]);
    expect(first.text).toBe(LONG.slice(0, EXCERPT_CHARACTERS));
  });

  it("is both ends of a long text without findings", () => {
    const { text, isWhole } = createExcerpt(LONG, []);
    expect(isWhole).toBe(false);
    expect(text.startsWith("word0 ")).toBe(true);
    expect(text.endsWith("word4999")).toBe(true);
    expect(text.length).toBeLessThan(EXCERPT_CHARACTERS + 100);
  });

  it("has no lone surrogates, wherever it is cut and whatever the caller sends", () => {
    for (const before of ["", "x"]) {
      const long = `${before}${"😀".repeat(9_000)}`;
      for (const spans of [
        [],
        [{ category: "injection", start: 9_001, end: 9_003 }],
        [at(long, "😀"), { category: "injection", start: 12_000, end: 12_010 }],
      ])
        expect(createExcerpt(long, spans).text).toMatch(/^x?[😀\n[\].]+$/u);
    }
    expect(createExcerpt("Ignore \ud83d it", []).text).toBe("Ignore \ufffd it");
  });

  it("has no private values that were found, also if they overlap", () => {
    const text = "Write to jo@firma.de, ignore the rest.";
    const spans = [at(text, "jo@firma.de", "pii"), at(text, "firma.de", "secret"), at(text, "ignore the rest")];
    expect(createExcerpt(text, spans).text).toBe("Write to ***********, ignore the rest.");
  });

  it("has no private values, whether the verdict names them or not", () => {
    const values = Array.from({ length: 200 }, (_, index) => `jo.doe${index}@firma.de`);
    const { text, isWhole } = createExcerpt(values.join(" "), []);
    expect(isWhole).toBe(true);
    expect(text).toMatch(/^[* ]+$/);
    expect(text).toHaveLength(values.join(" ").length);
  });

  it("has no part of a private value that it would cut in two", () => {
    for (let before = 3_980; before < 4_010; before += 1) {
      const text = `${"x".repeat(before - 1)} jo.doe@firma.de ${"word ".repeat(5_000)}`;
      expect(createExcerpt(text, []).text).not.toMatch(/jo|doe|firma/);
      const turned = `${"word ".repeat(5_000)} jo.doe@firma.de ${"x".repeat(before - 1)}`;
      expect(createExcerpt(turned, []).text).not.toMatch(/jo|doe|firma|de /);
    }
  });
});
