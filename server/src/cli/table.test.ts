import { describe, expect, it } from "vitest";
import { formatCredits, formatTable, printable } from "./table.ts";

describe("a table", () => {
  it("is as wide as its texts, with figures to the right", () => {
    const columns = [
      { name: "name", text: ([name]: readonly [string, number]) => name },
      { name: "n", right: true, text: ([, count]: readonly [string, number]) => String(count) },
    ];
    expect(formatTable(columns, [["website", 5] as const, ["x", 1_000] as const])).toBe(
      ["NAME        N", "website     5", "x        1000"].join("\n"),
    );
  });

  it("has one line a row, whatever its texts hold", () => {
    const columns = [{ name: "name", text: (name: string) => name }];
    expect(formatTable(columns, ["a\nb\u001b[31mc\u009bd"])).toBe("NAME\na b[31mcd");
  });
});

describe("a text of others", () => {
  it("loses what would steer the terminal, and keeps its lines", () => {
    expect(printable("grün\n\t\u001b]0;title\u0007\r\u007f!")).toBe("grün\n\t]0;title!");
  });
});

describe("credits", () => {
  it("have no exponent and no needless zeros", () => {
    expect([0, 1_000, 0.000_000_001, 2.5].map(formatCredits)).toEqual(["0", "1000", "0.000000001", "2.5"]);
  });
});
