import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { highlight, type Language } from "./highlight.ts";

const LANGUAGES: readonly Language[] = ["bash", "json", "javascript", "typescript", "python", "http", "yaml", "text"];

const kindsOf = (code: string, language: Language) =>
  highlight(code, language)
    .filter(({ kind }) => kind !== undefined)
    .map(({ kind, text }) => `${kind} ${text}`);

describe("highlighting", () => {
  it("never loses or changes a character", () => {
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES), fc.string({ unit: "grapheme" }), (language, code) => {
        expect(
          highlight(code, language)
            .map(({ text }) => text)
            .join(""),
        ).toBe(code);
      }),
    );
  });

  it("tells keys from strings in JSON", () => {
    expect(kindsOf('{"a": "b", "n": -1.5, "t": true}', "json")).toEqual([
      'name "a"',
      'string "b"',
      'name "n"',
      "number -1.5",
      'name "t"',
      "keyword true",
    ]);
  });

  it("does not look for words inside strings and comments", () => {
    expect(kindsOf("// const x\nconst y = 'if (1)'", "javascript")).toEqual([
      "comment // const x",
      "keyword const",
      "string 'if (1)'",
    ]);
  });

  it("knows Python's comments, strings and calls", () => {
    expect(kindsOf('print("# no")  # yes', "python")).toEqual(["name print", 'string "# no"', "comment # yes"]);
  });

  it("leaves an address whole in a command", () => {
    expect(kindsOf("curl -X POST http://host/#x -d '{}' # send", "bash")).toEqual([
      "keyword curl",
      "number -X",
      "number -d",
      "string '{}'",
      "comment # send",
    ]);
  });

  it("takes time in proportion to the text, even where nothing closes", () => {
    const code = `"${"\\a".repeat(50_000)}`;
    expect(highlight(code, "json").length).toBeGreaterThan(0);
  });

  it("leaves plain text alone", () => {
    expect(highlight("const a = 1", "text")).toEqual([{ kind: undefined, text: "const a = 1" }]);
  });
});
