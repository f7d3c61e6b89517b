import { describe, expect, it } from "vitest";
import { sectionsOf } from "./sections.ts";

const passagesIn = (text: string) =>
  sectionsOf({ file: "a.md", text })[0]?.passages.map(({ kind, text }) => [kind, text]);

describe("sectionsOf", () => {
  it("keeps the path of headings", () => {
    const text = "# Guide\nIntro.\n## Keys\n### Make one\nSteps.\n## Money\nPay.";
    expect(sectionsOf({ file: "a.md", text }).map(({ headings }) => headings.join(" › "))).toEqual([
      "Guide",
      "Guide › Keys › Make one",
      "Guide › Money",
    ]);
  });

  it("does not take a comment in a shell example for a heading", () => {
    const text = "# Start\nRun this:\n```sh\n# install it\nnpm install\n```\nDone.";
    expect(passagesIn(text)).toEqual([
      ["sentence", "Run this:"],
      ["code", "```sh\n# install it\nnpm install\n```"],
      ["sentence", "Done."],
    ]);
  });

  it("reads table rows as phrases", () => {
    const text =
      "| variable | meaning | default |\n|---|:---:|---|\n| `PORT` | where it listens | 8080 |\n| `A\\|B` | odd | |";
    expect(passagesIn(text)).toEqual([
      ["row", "- `PORT`: where it listens; default: 8080"],
      ["row", "- `A|B`: odd"],
    ]);
  });

  it("keeps a list item with its continuation lines", () => {
    expect(passagesIn("* first\n  and more\n* second")).toEqual([
      ["item", "- first and more"],
      ["item", "- second"],
    ]);
  });

  it("leaves out front matter, comments, images and link targets", () => {
    const text = "---\ntitle: x\n---\n<!-- secret -->\n![logo](a.png) See [the docs](b.md).";
    expect(passagesIn(text)).toEqual([["sentence", "See the docs."]]);
  });

  it("reads an unclosed code block to the end", () => {
    expect(passagesIn("```js\nlet a;")).toEqual([["code", "```js\nlet a;\n```"]]);
  });
});
