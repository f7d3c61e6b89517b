import { describe, expect, it } from "vitest";
import { inlinesOf, passagesOf } from "./markdown.ts";

describe("passagesOf", () => {
  it("tells headings, lists, quotes, rules and paragraphs apart", () => {
    const text = "# Title\nA line\nand more\n- one\n- two\n  still two\n1. first\n2) second\n> said\n---\n| a | b |";
    expect(passagesOf(text)).toEqual([
      { kind: "heading", text: "Title" },
      { kind: "paragraph", text: "A line\nand more" },
      { kind: "list", isOrdered: false, start: 1, items: ["one", "two\nstill two"] },
      { kind: "list", isOrdered: true, start: 1, items: ["first", "second"] },
      { kind: "quote", text: "said" },
      { kind: "rule" },
      { kind: "plain", text: "| a | b |" },
    ]);
  });

  it("keeps the number that a list begins with, as it may be the rest of one", () => {
    expect(passagesOf("7. seventh")).toEqual([{ kind: "list", isOrdered: true, start: 7, items: ["seventh"] }]);
  });

  it("takes markup of pages for the text that it is", () => {
    const html = '<img src=x onerror="alert(1)"><script>alert(1)</script>';
    expect(passagesOf(html)).toEqual([{ kind: "paragraph", text: html }]);
    expect(inlinesOf(html)).toEqual([{ kind: "text", text: html }]);
  });
});

describe("inlinesOf", () => {
  it("tells code, strong words, emphasis and links apart", () => {
    expect(inlinesOf("a `b*c*` **d e** *f* _g_ [h](https://i.example) j")).toEqual([
      { kind: "text", text: "a " },
      { kind: "code", text: "b*c*" },
      { kind: "text", text: " " },
      { kind: "strong", text: "d e" },
      { kind: "text", text: " " },
      { kind: "emphasis", text: "f" },
      { kind: "text", text: " " },
      { kind: "emphasis", text: "g" },
      { kind: "text", text: " " },
      { kind: "link", text: "h", href: "https://i.example" },
      { kind: "text", text: " j" },
    ]);
  });

  it("leaves snake_case, sums and loose stars alone", () => {
    for (const text of ["a_snake_case name", "2 * 3 * 4", "** not **", "a*b*c"])
      expect(inlinesOf(text)).toEqual([{ kind: "text", text }]);
  });

  it("makes a picture a link, never a picture", () => {
    expect(inlinesOf("![a cat](https://spy.example/pixel.png)")).toEqual([
      { kind: "link", text: "Picture: a cat", href: "https://spy.example/pixel.png" },
    ]);
  });

  it("comes through text that is made to be slow, and loses none of it", () => {
    for (const text of ["*".repeat(12_000), "[".repeat(12_000), "![](".repeat(3_000), "`".repeat(12_001)])
      expect(
        inlinesOf(text)
          .map((inline) => inline.text)
          .join(""),
      ).toBe(text);
  });
});
