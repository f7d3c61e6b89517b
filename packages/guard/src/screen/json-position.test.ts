import { describe, expect, it } from "vitest";
import { JsonPosition } from "./json-position.ts";

/** The position at the end of a text, whatever the chunks. */
function positionAfter(text: string, isJson = false) {
  const whole = new JsonPosition(isJson);
  whole.read(text);
  const position = new JsonPosition(isJson);
  for (const character of text) position.read(character);
  const describePosition = ({ isInString, isBeforeValue, isInEscape }: JsonPosition) =>
    isInEscape ? "escape" : isInString ? "string" : isBeforeValue ? "value" : "elsewhere";
  expect(describePosition(whole)).toBe(describePosition(position));
  return describePosition(position);
}

describe("JsonPosition", () => {
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
    expect(positionAfter(text)).toBe(expected);
  });

  it("may be in a lone string or number if the whole text is JSON", () => {
    expect(positionAfter('"so', true)).toBe("string");
    expect(positionAfter('"so', false)).toBe("elsewhere");
    expect(positionAfter("", true)).toBe("value");
  });
});
