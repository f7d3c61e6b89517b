import { describe, expect, it } from "vitest";
import { recordsOf, sample } from "./collected-row.ts";

describe("reading CSV", () => {
  it("reads quoted cells with commas, quotes and line breaks", () => {
    expect(recordsOf('text,label\n"a, ""b""\nc",1\nplain,0\n')).toEqual([
      { text: 'a, "b"\nc', label: "1" },
      { text: "plain", label: "0" },
    ]);
  });

  it("reads empty cells and a file without a last line break", () => {
    expect(recordsOf("a,b,c\r\n1,,3\r\n,5,")).toEqual([
      { a: "1", b: "", c: "3" },
      { a: "", b: "5", c: "" },
    ]);
  });
});

describe("a sample", () => {
  it("is the same for the same seed, and never longer than what there is", () => {
    const values = Array.from({ length: 20 }, (_, at) => at);
    expect(sample(values, 5, 1)).toEqual(sample(values, 5, 1));
    expect(sample(values, 5, 1)).toHaveLength(5);
    expect(sample(values, 50, 2).sort((a, b) => a - b)).toEqual(values);
  });
});
