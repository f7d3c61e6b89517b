import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { readChoice, readInteger, readList, readNumber, readObject, readOptional, readString } from "./fields.ts";

const refusal = (act: () => unknown) => {
  const { type, message, details } = faultOf(act);
  expect(type).toBe("invalid_request");
  return { message, param: details.param };
};

describe("a text", () => {
  it("is counted in characters, not in UTF-16 units", () => {
    expect(readString("😀".repeat(5), "input", 1, 5)).toHaveLength(10);
    expect(refusal(() => readString("😀".repeat(6), "input", 1, 5))).toEqual({
      param: "input",
      message: "`input` must be at most 5 characters.",
    });
    expect(refusal(() => readString("a".repeat(6), "input", 1, 5)).param).toBe("input");
  });

  it.each([
    [undefined, "`input` is required."],
    [null, "`input` is required."],
    ["", "`input` must not be empty."],
    [5, "`input` must be a string."],
    [["a"], "`input` must be a string."],
  ])("can't be %j", (value, message) => {
    expect(refusal(() => readString(value, "input", 1, 5)).message).toBe(message);
  });
});

describe("a number", () => {
  it.each([1, 5.5, 10])("can be %d", (value) => {
    expect(readNumber(value, "n", 1, 10)).toBe(value);
  });

  it.each([0.9, 10.1, "5", Number.NaN, Number.POSITIVE_INFINITY, true, {}])("can't be %s", (value) => {
    expect(refusal(() => readNumber(value, "n", 1, 10)).param).toBe("n");
  });

  it("that is whole can't be a fraction", () => {
    expect(readInteger(5, "n", 1, 10)).toBe(5);
    expect(refusal(() => readInteger(5.5, "n", 1, 10)).message).toBe("`n` must be a whole number.");
  });

  it("out of range is refused with the range", () => {
    expect(refusal(() => readNumber(0, "n", 1, 1_000_000)).message).toBe("`n` must be from 1 to 1,000,000.");
  });
});

describe("choices, lists and objects", () => {
  it("list the choices where none matches", () => {
    expect(readChoice("a", "c", ["a", "b"])).toBe("a");
    expect(refusal(() => readChoice("A", "c", ["a", "b"]))).toEqual({
      param: "c",
      message: "`c` must be one of: a, b.",
    });
  });

  it("name the wrong entry of a list", () => {
    const read = (value: unknown) => readList(value, "l", 2, (item, param) => readString(item, param, 1, 9));
    expect(read(["a", "b"])).toEqual(["a", "b"]);
    expect(refusal(() => read(["a", 5])).param).toBe("l[1]");
    expect(refusal(() => read(["a", "b", "c"])).param).toBe("l");
    expect(refusal(() => read("a")).param).toBe("l");
  });

  it("take only objects as objects", () => {
    expect(readObject({ a: 1 }, "o")).toEqual({ a: 1 });
    for (const value of [null, [], "x", 5, undefined]) expect(refusal(() => readObject(value, "o")).param).toBe("o");
    expect(refusal(() => readObject([], ""))).toEqual({
      message: "The body must be a JSON object.",
      param: undefined,
    });
  });

  it("count null as absent", () => {
    expect(readOptional(null, String)).toBeUndefined();
    expect(readOptional(undefined, String)).toBeUndefined();
    expect(readOptional(0, String)).toBe("0");
  });
});
