import { describe, expect, it } from "vitest";
import { EditableText, parseJsonLeaves } from "./editable-text.ts";
import { findPrivateData } from "./find-private-data.ts";

describe("EditableText", () => {
  it("is searched in pieces if it has many small leaves", () => {
    const editableText = new EditableText(findPrivateData, JSON.stringify(Array(1_500).fill("\na")), "json");
    let pieces = 1;
    while (editableText.next()) pieces += 1;
    expect(pieces).toBeGreaterThan(2);
    expect(editableText.passages).toHaveLength(1_500);
  });
});

describe("parseJsonLeaves", () => {
  it("skips what is too short to be a value", () => {
    const leaves = parseJsonLeaves('{"a":[0,-12,1234,true,null,"x","jo\\"e"]}');
    expect(leaves?.map(({ text }) => text)).toEqual(["1234", 'jo"e']);
  });

  it("returns undefined for invalid JSON", () => {
    expect(parseJsonLeaves('{"a":"b')).toBeUndefined();
  });
});
