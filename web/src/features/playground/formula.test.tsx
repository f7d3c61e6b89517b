import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import Formula from "./formula.tsx";

const draw = (tex: string) => renderToStaticMarkup(<Formula tex={tex} isBlock={false} />);

describe("a formula", () => {
  it("becomes MathML", () => {
    expect(draw("\\frac{a}{b}")).toContain("<mfrac><mi>a</mi><mi>b</mi></mfrac>");
  });

  it("is shown as it was written where it can't be read", () => {
    expect(draw("\\frac{")).toMatch(/^<code[^>]*>\\frac\{<\/code>$/);
  });

  it("has no addresses, events or elements of pages, whatever it asks for", () => {
    for (const tex of [
      "\\href{javascript:alert(1)}{x}",
      "\\url{javascript:alert(1)}",
      "\\includegraphics{https://evil.example/x.png}",
      "\\class{x}{y}",
      "\\text{<script>alert(1)</script>}",
      "\\style{background:url(x)}{y}",
      '\\data{onclick="x"}{y}',
    ]) {
      const drawn = draw(tex);
      expect(drawn).not.toMatch(/<(?:script|img|a)\b|<[^>]+\b(?:href|src|onclick|data-\w+)=/);
    }
  });
});
