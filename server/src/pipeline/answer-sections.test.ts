import type { Part } from "@trunkline/core/parts.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerSections } from "./answer-sections.ts";

const text = (words: string, choice?: number): Part => ({ type: "text", text: words, choice });
const CALL: Part = { type: "tool-call", id: "c", name: "look_up", arguments: '{"a":1}' };
const FINISH: Part = { type: "finish", reason: "stop" };

/** All sections of an answer, the last one being what was left at its end. */
function cut(parts: readonly Part[], characters: number): (readonly Part[])[] {
  const sections = new AnswerSections(characters);
  const taken: (readonly Part[])[] = [];
  for (const part of parts) {
    if (!sections.add(part)) continue;
    do taken.push(sections.take());
    while (sections.isDue);
  }
  return [...taken, sections.takeRest()];
}
const wordsOf = (section: readonly Part[]) =>
  section.map((part) => ("text" in part ? part.text : part.type === "tool-call" ? part.arguments : "")).join("");

describe("AnswerSections", () => {
  it.each([
    ["a sentence", "The river is long. It runs. So it is.", ["The river is long. ", "It runs. So it is."]],
    ["a line", "The river is\nlong and wide\n", ["The river is\n", "long and wide\n", ""]],
    ["a quotation", 'He said "very." Then he left.', ['He said "very." ', "Then he left."]],
    [
      "a sentence of a script without spaces",
      "川はとても長いのです。そして広い。",
      ["川はとても長いのです。", "そして広い。"],
    ],
    ["a word, where no sentence ends", "one two three four five six seven", ["one two three four ", "five six seven"]],
    ["any character, where no word ends", "a".repeat(45), ["a".repeat(20), "a".repeat(20), "a".repeat(5)]],
    ["no number's point", "Pi is about 3.14159 they say", ["Pi is about 3.14159 ", "they say"]],
  ])("end after %s", (_what, answer, sections) => {
    expect(cut([text(answer)], 10).map(wordsOf)).toEqual(sections);
    // The same where it comes character by character.
    expect(
      cut(
        [...answer].map((piece) => text(piece)),
        10,
      ).map(wordsOf),
    ).toEqual(sections);
  });

  it("never cut a character of two units", () => {
    const sections = cut([text(`a${"🌊".repeat(30)}`)], 10).map(wordsOf);
    expect(sections.join("")).toBe(`a${"🌊".repeat(30)}`);
    // Half a character can't be encoded.
    for (const section of sections) expect(() => encodeURIComponent(section)).not.toThrow();
  });

  it("keep a tool call whole, with the text before it", () => {
    const [first, rest] = cut([text("I look it up. Wait"), CALL, FINISH], 10);
    expect(first).toEqual([text("I look it up. ")]);
    expect(rest).toEqual([text("Wait"), CALL, FINISH]);
  });

  it("do not join a text with one before a tool call", () => {
    expect(cut([text("a"), CALL, text("b"), text("c")], 10)).toEqual([[text("a"), CALL, text("bc")]]);
  });

  it("cut each choice by itself", () => {
    const [first, rest] = cut([text("short", 1), text("The river is long. Yes", 0)], 10);
    expect(first).toEqual([text("The river is long. ", 0)]);
    expect(rest).toEqual([text("short", 1), text("Yes", 0)]);
  });

  it("leave the signature of a reasoning with its last piece", () => {
    const [first, rest] = cut([{ type: "thinking", text: "I think so. Perhaps", signature: "s" }], 10);
    expect(first).toEqual([{ type: "thinking", text: "I think so. ", choice: undefined }]);
    expect(rest).toEqual([{ type: "thinking", text: "Perhaps", signature: "s" }]);
  });

  it("lose nothing, keep the order, and have at most twice the characters, in whatever pieces the answer comes", () => {
    const piece = fc.oneof(fc.string({ unit: "grapheme", maxLength: 60 }), fc.constant(". "), fc.constant("\n"));
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 5, max: 30 }), (pieces, characters) => {
        const sections = cut(
          pieces.map((words) => text(words)),
          characters,
        ).map(wordsOf);
        expect(sections.join("")).toBe(pieces.join(""));
        for (const section of sections) expect(section.length).toBeLessThanOrEqual(characters * 2);
        for (const section of sections.slice(0, -1)) expect(section.length).toBeGreaterThanOrEqual(characters);
      }),
    );
  });
});
