import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OverlapTrimmer } from "./overlap-trimmer.ts";

/** What a client has read in the end, if the new text comes in pieces of this length. */
function join(soFar: string, more: string, pieceLength = more.length): string {
  const overlapTrimmer = new OverlapTrimmer(soFar);
  let text = soFar;
  for (let at = 0; at < more.length; at += Math.max(1, pieceLength))
    text += overlapTrimmer.push(more.slice(at, at + Math.max(1, pieceLength)));
  return text + overlapTrimmer.end();
}

const STORY =
  "The old lighthouse keeper climbed the stairs every evening at six. He lit the lamp, wiped the glass, and wrote " +
  "down which ships he saw. Nobody ever read his book, but he kept it all the same, year after year, until the harbour " +
  "was closed and the ships went elsewhere. Then he wrote down the birds instead, and the clouds, and in the end the waves.";

describe("a text that continues exactly where the first broke off", () => {
  it("is not changed", () => {
    fc.assert(
      fc.property(fc.nat(STORY.length), fc.integer({ min: 1, max: 40 }), (cut, pieceLength) => {
        expect(join(STORY.slice(0, cut), STORY.slice(cut), pieceLength)).toBe(STORY);
      }),
    );
  });

  it.each([
    ["We laugh: ha ", "ha ha!"],
    ["#", "# Title"],
    ["It is 33", "33.5 by now"],
    ["<ul>\n<li>one</li>\n</ul>\n", "</ul>\n"],
    ["We had", " had enough."],
    ["a ban", "ana"],
    ["", "Hello"],
  ])("keeps what only looks like a repetition: %j and %j", (soFar, more) => {
    expect(join(soFar, more, 1)).toBe(soFar + more);
  });

  it("keeps what the first text itself repeats, such as the rows of a table", () => {
    const rows = `| one | two |\n${"| nothing | nothing |\n".repeat(9)}`;
    for (const cut of [60, 61, 70, 150]) expect(join(rows.slice(0, cut), rows.slice(cut), 3), String(cut)).toBe(rows);
  });

  it.each([
    ["for (let i = 0; i < n; i++) {\n  foo(i);\n}\n", "for (let i = 0; i < n; i++) {\n  bar(i);\n}\n"],
    ["import { readFile } from 'node:fs';\nimport { a", "import { readFile } from 'node:fs/promises';"],
    ["The answer to the first question is yes.\n", "The answer to the first question is also no.\n"],
  ])("keeps what begins like the first text and then differs: %j and %j", (soFar, more) => {
    for (const pieceLength of [1, 7, 1_000]) expect(join(soFar, more, pieceLength)).toBe(soFar + more);
  });

  it("is held back only as long as it could be a repetition", () => {
    const overlapTrimmer = new OverlapTrimmer(STORY);
    expect(overlapTrimmer.push("X")).toBe("X");
    expect(overlapTrimmer.push(STORY)).toBe(STORY);
  });
});

describe("a text that repeats the last words", () => {
  it("joins without them, wherever the first broke off and however much is repeated", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 12, max: STORY.length }),
        fc.integer({ min: 12, max: STORY.length }),
        fc.integer({ min: 1, max: 40 }),
        (cut, back, pieceLength) => {
          const from = Math.max(0, cut - back);
          expect(join(STORY.slice(0, cut), STORY.slice(from), pieceLength)).toBe(STORY);
        },
      ),
    );
  });

  it.each([
    ["the quick brown fo", "fox jumps", "the quick brown fofox jumps"],
    ["the quick brown", "brown fox jumps", "the quick brown fox jumps"],
    ["the quick bro", "quick brown fox", "the quick brown fox"],
    ["x = 1\nconst resu", "const result = 2", "x = 1\nconst result = 2"],
    ["Hel", "Hello world", "Hello world"],
  ])("is recognised by its words: %j and %j", (soFar, more, joined) => {
    expect(join(soFar, more, 1)).toBe(joined);
  });
});

describe("a text that starts again after nothing but whitespace", () => {
  it.each([
    ["\n\n", "\n\nHello", "\n\nHello"],
    ["\n\n", "\nHello", "\n\nHello"],
    ["\n", "Hello", "\nHello"],
    ["  ", "    return 1;", "    return 1;"],
    ["\n", "  one\n\ntwo", "\n  one\n\ntwo"],
    [" ".repeat(600), `${" ".repeat(600)}.`, `${" ".repeat(600)}.`],
  ])("has the whitespace only once: %j and %j", (soFar, more, joined) => {
    for (const pieceLength of [1, 2, 1_000]) expect(join(soFar, more, pieceLength)).toBe(joined);
  });
});

describe("a text that starts again", () => {
  const long = Array.from({ length: 200 }, (_, at) => `Sentence ${at} says ${at * at}.`).join(" ");

  it("is left out as long as it repeats, whatever its length", () => {
    for (const cut of [30, 399, 400, 401, 2_000]) {
      expect(join(long.slice(0, cut), long, 7)).toBe(long);
      expect(join(long.slice(0, cut), long)).toBe(long);
    }
  });

  it("is recognised also if the text itself is repetitive", () => {
    for (const text of ["All is well here. ".repeat(3), "All is well here. ".repeat(90)])
      expect(join(text, `${text}The end.`, 5)).toBe(`${text}The end.`);
  });

  it("continues with what differs", () => {
    expect(join(long.slice(0, 2_000), `${long.slice(0, 1_000)}#other`, 9)).toBe(`${long.slice(0, 2_000)}#other`);
  });

  it("counts as a restart from a hundred characters on, or if it repeats the whole text", () => {
    const soFar = long.slice(0, 300);
    expect(join(soFar, `${long.slice(0, 99)}#`, 9)).toBe(`${soFar}${long.slice(0, 99)}#`);
    expect(join(soFar, `${long.slice(0, 100)}#`, 9)).toBe(`${soFar}#`);
    expect(join(long.slice(0, 40), `${long.slice(0, 40)}#`, 9)).toBe(`${long.slice(0, 40)}#`);
  });

  it("adds nothing if it only repeats", () => {
    expect(join(long.slice(0, 2_000), long.slice(0, 500), 3)).toBe(long.slice(0, 2_000));
  });
});

it("takes linear time, also if all characters are the same", () => {
  const same = "a".repeat(1_000_000);
  expect(join(same, `${same}b`, 1)).toHaveLength(1_000_001);
});
