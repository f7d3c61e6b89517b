import { JsonFields } from "@trunkline/core/json-fields.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeJson } from "./write-json.ts";

const buffer = Buffer.alloc(1 << 20);

function written(value: unknown): string {
  const end = writeJson(buffer, value, 3);
  return buffer.toString("utf8", 3, end);
}

describe("JSON written into a buffer", () => {
  it("is what JSON.stringify makes of any value", () => {
    const numbers = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.nat(20_000_000).map((many) => many / 1_000),
    );
    const values = fc.anything({
      values: [numbers, fc.boolean(), fc.string({ unit: "binary" }), fc.string({ maxLength: 90 })],
      withDate: true,
      withNullPrototype: true,
    });
    fc.assert(fc.property(values, (value) => written({ value }) === JSON.stringify({ value })));
  });

  it("has the fields of an object that gives them one by one, without those that are undefined", () => {
    class Lengths extends JsonFields {
      readonly names = ["none", "one", "zwei €", "three"];

      valueAt(place: number): number | string | undefined {
        return place === 0 ? undefined : place === 3 ? '"' : place / 8;
      }
    }
    const value = { before: true, lengths: new Lengths(), after: [new Lengths()] };
    expect(written(value)).toBe(JSON.stringify(value));
    expect(written(value)).toContain('"lengths":{"one":0.125,"zwei €":0.25,"three":"\\""},');
  });

  it("has the numbers that records are full of", () => {
    const numbers = [
      0,
      -0,
      1,
      9.99999,
      9_999.99999,
      10_000,
      10_000.5,
      0.00001,
      0.000001,
      1e-7,
      0.1 + 0.2,
      0.123456,
      -1.5,
    ];
    for (const number of [...numbers, 5e-324, 1e21, Number.NaN, Number.POSITIVE_INFINITY, 106.667, 1_234.5])
      expect(written(number)).toBe(JSON.stringify(number));
    for (let thousandths = 0; thousandths < 30_000; thousandths++) {
      const number = Math.round(thousandths * 1.37) / 1_000;
      expect(written(number)).toBe(String(number));
    }
  });

  it("leaves out fields without a value, and has null for them in a list", () => {
    expect(written({ a: undefined, b: 1, c: undefined, d: { e: undefined } })).toBe('{"b":1,"d":{}}');
    expect(written([undefined, 1])).toBe("[null,1]");
    expect(written({ 'a"b': "line\nbreak", "ä€": "\ud800" })).toBe(
      JSON.stringify({ 'a"b': "line\nbreak", "ä€": "\ud800" }),
    );
  });

  it("says that there is too little room, wherever the buffer ends", () => {
    const value = { short: "abc", numbers: [1.5, 22], long: "€".repeat(80), inner: { yes: true, no: null } };
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    for (let size = 0; size < bytes; size++) expect(writeJson(Buffer.alloc(size), value, 0)).toBeGreaterThan(size);
    const roomy = Buffer.alloc(bytes + 1_200);
    expect(roomy.toString("utf8", 0, writeJson(roomy, value, 0))).toBe(text);
  });
});
