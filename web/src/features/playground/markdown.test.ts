import { describe, expect, it } from "vitest";
import { type MarkdownNode, parseMarkdown } from "./markdown.ts";

/** A tree in one line: `paragraph(text:Hello)`. */
function outline(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map(({ type, token, children }) => {
      if (children.length > 0) return `${type}(${outline(children)})`;
      return token.content === "" ? type : `${type}:${token.content}`;
    })
    .join(" ");
}

const read = (text: string) => outline(parseMarkdown(text));

describe("Markdown", () => {
  it("has tables, with their alignment", () => {
    const [table] = parseMarkdown("| a | b |\n|---|--:|\n| 1 | **2** |");
    expect(table === undefined ? "" : outline([table])).toBe(
      "table(thead(tr(th(text:a) th(text:b))) tbody(tr(td(text:1) td(strong(text:2)))))",
    );
    expect(table?.children[1]?.children[0]?.children[1]?.token.attrGet("style")).toContain("right");
  });

  it("has nested lists, and keeps the number that one begins with", () => {
    expect(read("- one\n  - inside\n    1. deeper\n- two")).toBe(
      "bullet_list(list_item(paragraph(text:one) bullet_list(list_item(paragraph(text:inside) ordered_list(list_item(paragraph(text:deeper)))))) list_item(paragraph(text:two)))",
    );
    expect(parseMarkdown("7. seventh")[0]?.token.attrGet("start")).toBe(7);
  });

  it("has formulas, in all the ways that models write them", () => {
    expect(read("so $a^2$ and \\(b\\)")).toBe("paragraph(text:so  math_inline:a^2 text: and  math_inline:b)");
    expect(read("$$\nx\n+ y\n$$")).toBe("math_block:\nx\n+ y\n");
    expect(read("\\[ x \\]")).toBe("math_block: x ");
    expect(read("It follows:\n$$x$$\nthen")).toBe("paragraph(text:It follows:) math_block:x paragraph(text:then)");
  });

  it("takes amounts of money for what they are", () => {
    for (const text of ["It costs $5 and $10.", "from $5 to $6", "100 $ or 200 $", "$", "$$"])
      expect(read(text)).toBe(`paragraph(text:${text})`);
  });

  it("takes markup of pages for the text that it is", () => {
    const html = '<img src=x onerror="alert(1)"><script>alert(1)</script>';
    expect(read(html)).toBe(`paragraph(text:${html})`);
    expect(read("[a](javascript:alert(1))")).toBe("paragraph(text:[a](javascript:alert(1)))");
    expect(read("[a](data:text/html,x)")).toBe("paragraph(text:[a](data:text/html,x))");
  });

  it("comes through text that is made to be slow", () => {
    for (const text of ["*", "[", "![](", "`", "> ", "- ", "$", "\\(", "|a", "_a*", "<a ", "$$\n"])
      expect(parseMarkdown(text.repeat(4_000 / text.length)).length).toBeGreaterThan(0);
  });
});
