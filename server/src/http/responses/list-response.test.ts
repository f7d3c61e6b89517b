import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toCsv } from "./list-response.ts";

const toCell = (value: string | number) => toCsv(["a"], [{ a: value }]).slice("a\r\n".length, -"\r\n".length);

/** A reader of RFC 4180 that shares no code with the writer. */
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

describe("toCsv", () => {
  it("writes a header line and a line per row, each ended by CRLF", () => {
    expect(toCsv(["day", "cost"], [{ day: "2026-01-15", cost: 1.5, ignored: 1 }, { day: "2026-01-16" }])).toBe(
      "day,cost\r\n2026-01-15,1.5\r\n2026-01-16,\r\n",
    );
    expect(toCsv(["day"], [])).toBe("day\r\n");
  });

  it("quotes commas, quotes and line breaks", () => {
    expect(toCell("a,b")).toBe('"a,b"');
    expect(toCell('say "hi"')).toBe('"say ""hi"""');
    expect(toCell("two\nlines")).toBe('"two\nlines"');
    expect(toCell("two\r\nlines")).toBe('"two\r\nlines"');
    expect(toCell("plain text")).toBe("plain text");
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://evil","x")', "=1,2"])(
    "defuses a text that a spreadsheet would run as a formula: %j",
    (text) => {
      const [[, [cell]]] = [readCsv(toCsv(["a"], [{ a: text }]))] as [[string[], string[]]];
      expect(cell).toBe(`'${text}`);
    },
  );

  it.each([
    [0, "0"],
    [-1.5, "-1.5"],
    [1e-9, "0.000000001"],
    [1.5e-7, "0.00000015"],
    [123_456_789.123, "123456789.123"],
    ["", ""],
  ])("writes %s without an exponent", (value, text) => {
    expect(toCell(value)).toBe(text);
  });

  it("is read back unchanged by an RFC 4180 reader, for any text", () => {
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
