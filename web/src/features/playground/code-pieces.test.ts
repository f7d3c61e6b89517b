import { describe, expect, it } from "vitest";
import { piecesOf } from "./code-pieces.ts";

describe("piecesOf", () => {
  it("reads what the highlighter writes, and gives the code back character by character", () => {
    const markup =
      '<span class="hljs-keyword">let</span> a = <span class="hljs-string">&quot;&lt;b&gt; <span class="hljs-subst">x</span>&amp;lt;&quot;</span>;';
    expect(piecesOf(markup)).toEqual([
      { scope: "keyword", text: "let" },
      { scope: undefined, text: " a = " },
      { scope: "string", text: '"<b> ' },
      { scope: "subst", text: "x" },
      { scope: "string", text: '&lt;"' },
      { scope: undefined, text: ";" },
    ]);
  });
});
