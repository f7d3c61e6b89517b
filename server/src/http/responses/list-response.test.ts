import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCsv } from "./list-response.ts";

const one = (value: string | number) => toCsv(["a"], [{ a: value }]).slice("a\r\n".length, -"\r\n".length);

/** A plain reader of RFC 4180, written apart from the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (found === null) throw new Error(`This is no CSV: ${text}`);
    rows.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

describe("a table as CSV", () => {
  it("has a line of names, a line for each row, and ends every line as RFC 4180 has it", () => {
    expect(toCsv(["day", "cost"], [{ day: "2026-01-15", cost: 1.5, ignored: 1 }, { day: "2026-01-16" }])).toBe(
      "day,cost\r\n2026-01-15,1.5\r\n2026-01-16,\r\n",
    );
    expect(toCsv(["day"], [])).toBe("day\r\n");
  });

  it("quotes commas, quotes and line breaks", () => {
    expect(one("a,b")).toBe('"a,b"');
    expect(one('say "hi"')).toBe('"say ""hi"""');
    expect(one("two\nlines")).toBe('"two\nlines"');
    expect(one("two\r\nlines")).toBe('"two\r\nlines"');
    expect(one("plain text")).toBe("plain text");
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://evil","x")', "=1,2"])(
    "defuses what a spreadsheet would run: %j",
    (text) => {
      const [[, [shown]]] = [readCsv(toCsv(["a"], [{ a: text }]))] as [[string[], string[]]];
      expect(shown).toBe(`'${text}`);
    },
  );

  it.each([
    [0, "0"],
    [-1.5, "-1.5"],
    [1e-9, "0.000000001"],
    [1.5e-7, "0.00000015"],
    [123_456_789.123, "123456789.123"],
    ["", ""],
  ])("writes %s plainly, without exponents", (value, text) => {
    expect(one(value)).toBe(text);
  });

  it("is read back as it was by any reader, whatever the texts are", () => {
    const harmless = fc
      .string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r\n", " ", "ü", "x=y") })
      .filter((text) => !/^[=+\-@\t\r]/.test(text));
    fc.assert(
      fc.property(fc.array(fc.record({ a: harmless, b: harmless }), { minLength: 1 }), (rows) => {
        expect(readCsv(toCsv(["a", "b"], rows))).toEqual([["a", "b"], ...rows.map(({ a, b }) => [a, b])]);
      }),
    );
  });
});
