import { describe, expect, it } from "vitest";
import { atOnce, Turn } from "../resumable.ts";
import { findInJson } from "./find-in-json.ts";
import { jsonLeavesOf } from "./json-leaves.ts";
import { searchPrivateData } from "./private-data.ts";

describe("findInJson", () => {
  it("lets others have their turn between many small leaves", async () => {
    const json = JSON.stringify(Array(1_500).fill("\na"));
    let othersHadTheirTurn = false;
    setImmediate(() => {
      othersHadTheirTurn = true;
    });
    let now = 0;
    const turn = new Turn(() => {
      now += 1;
      return now;
    });
    await turn.take(findInJson(searchPrivateData, json, atOnce(jsonLeavesOf(json)) ?? []));
    expect(othersHadTheirTurn).toBe(true);
  });
});

describe("jsonLeavesOf", () => {
  it("passes over what is too short to be a value", () => {
    const leaves = atOnce(jsonLeavesOf('{"a":[0,-12,1234,true,null,"x","jo\\"e"]}'));
    expect(leaves?.map(({ text }) => text)).toEqual(["1234", 'jo"e']);
  });

  it("finds none where there is no JSON", () => {
    expect(atOnce(jsonLeavesOf('{"a":"b'))).toBeUndefined();
  });
});
