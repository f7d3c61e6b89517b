import { describe, expect, it } from "vitest";
import { HeaderLines } from "./header-lines.ts";

describe("HeaderLines", () => {
  it("has the headers as the lines that are sent, and as a list", () => {
    const headers = new HeaderLines();
    headers.add("x-one", "a: b");
    headers.addLines("x-two: c\r\nx-three: \r\n");
    expect(headers.lines).toBe("x-one: a: b\r\nx-two: c\r\nx-three: \r\n");
    expect(headers.list).toEqual(["x-one", "a: b", "x-two", "c", "x-three", ""]);
  });

  it.each([
    ["a value that would end its line", "x-odd", "a\r\nset-cookie: b"],
    ["a value that is not ASCII", "x-odd", "Gr\u00fc\u00dfe"],
    ["several values", "set-cookie", ["a=1", "b=2"]],
    ["the end of the connection", "connection", "close"],
  ])("has no lines with %s, and keeps the order in its list", (_what, name, value) => {
    const headers = new HeaderLines();
    headers.add("x-first", "1");
    headers.add(name, value);
    headers.addLines("x-third: 3\r\n");
    headers.add("x-last", "4");
    expect(headers.lines).toBeUndefined();
    expect(headers.list).toEqual(["x-first", "1", name, value, "x-third", "3", "x-last", "4"]);
  });
});
