import { describe, expect, it } from "vitest";
import { runToEnd, TimeSlice } from "../resumable.ts";
import { findInJsonLeaves, parseJsonLeaves } from "./editable-text.ts";
import { findPrivateDataResumable } from "./find-private-data.ts";

describe("findInJsonLeaves", () => {
  it("yields to the event loop between many small leaves", async () => {
    const json = JSON.stringify(Array(1_500).fill("\na"));
    let othersHadTheirTurn = false;
    setImmediate(() => {
      othersHadTheirTurn = true;
    });
    let now = 0;
    const timeSlice = new TimeSlice(() => {
      now += 1;
      return now;
    });
    await timeSlice.run(findInJsonLeaves(findPrivateDataResumable, json, runToEnd(parseJsonLeaves(json)) ?? []));
    expect(othersHadTheirTurn).toBe(true);
  });
});

describe("parseJsonLeaves", () => {
  it("skips what is too short to be a value", () => {
    const leaves = runToEnd(parseJsonLeaves('{"a":[0,-12,1234,true,null,"x","jo\\"e"]}'));
    expect(leaves?.map(({ text }) => text)).toEqual(["1234", 'jo"e']);
  });

  it("returns undefined for invalid JSON", () => {
    expect(runToEnd(parseJsonLeaves('{"a":"b'))).toBeUndefined();
  });
});
