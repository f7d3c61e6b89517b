import { describe, expect, it } from "vitest";
import { findInJson } from "./find-in-json.ts";
import { jsonLeavesOf } from "./json-leaves.ts";
import { findPrivateData } from "./private-data.ts";
import { inTurns } from "./turns.ts";

describe("findInJson", () => {
  it("lets others have their turn between many small leaves", async () => {
    const json = JSON.stringify(Array(1_500).fill("\na"));
    let othersHadTheirTurn = false;
    setImmediate(() => {
      othersHadTheirTurn = true;
    });
    await inTurns(findInJson(findPrivateData, json, jsonLeavesOf(json) ?? []));
    expect(othersHadTheirTurn).toBe(true);
  });
});

describe("jsonLeavesOf", () => {
  it("passes over what is too short to be a value", () => {
    const leaves = jsonLeavesOf('{"a":[0,-12,1234,true,null,"x","jo\\"e"]}');
    expect(leaves?.map(({ text }) => text)).toEqual(["1234", 'jo"e']);
  });

  it("finds none where there is no JSON", () => {
    expect(jsonLeavesOf('{"a":"b')).toBeUndefined();
  });
});
