import { describe, expect, it } from "vitest";
import { JsonPosition } from "./json-position.ts";

/** Where one has got to at the end of a text, in whatever pieces it came. */
function placeAfter(text: string, isJson = false) {
  const whole = new JsonPosition(isJson);
  whole.read(text);
  const place = new JsonPosition(isJson);
  for (const character of text) place.read(character);
  const told = ({ isInString, isBeforeValue, isInEscape }: JsonPosition) =>
    isInEscape ? "escape" : isInString ? "string" : isBeforeValue ? "value" : "elsewhere";
  expect(told(whole)).toBe(told(place));
  return told(place);
}

describe("a place in a text", () => {
  it.each([
    ['Here: {"a": "b', "string"],
    ['```json\n{"a": {"b": [1, ', "value"],
    ['[{"a": true, "b": null}, "x', "string"],
    [String.raw`{"a": "\u00`, "escape"],
    [String.raw`{"a": "x\\`, "string"],
    [String.raw`{"a\"`, "string"],
    ['{"a": ', "value"],
    ["[", "value"],
    ["[-1.5e+3, ", "value"],
    ['{"a": 1', "elsewhere"],
    ['{"a": 1}', "elsewhere"],
    ['{"a": 1} and "so', "elsewhere"],
    ['She said "hi", and ', "elsewhere"],
    ["[EMAIL_1] ", "elsewhere"],
    ["if (a) { return [", "value"],
    ['{"a" "', "elsewhere"],
    ['{"a": "one\n two', "elsewhere"],
    ['{broken {"a": "b', "string"],
    ['{"a": ]', "elsewhere"],
    ["[1 2", "elsewhere"],
    ["[".repeat(200), "value"],
  ])("after %j is %s", (text, expected) => {
    expect(placeAfter(text)).toBe(expected);
  });

  it("may be in a lone string or number where all of it is JSON", () => {
    expect(placeAfter('"so', true)).toBe("string");
    expect(placeAfter('"so', false)).toBe("elsewhere");
    expect(placeAfter("", true)).toBe("value");
  });
});
