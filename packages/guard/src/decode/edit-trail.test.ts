import { describe, expect, it } from "vitest";
import { OffsetMap } from "./edit-trail.ts";

describe("EditTrail", () => {
  it("changes nothing where nothing was edited", () => {
    expect(new OffsetMap().toSourceOffset(7)).toBe(7);
  });

  it("skips what was taken out", () => {
    const trail = new OffsetMap();
    // "ab---cd" became "abcd".
    trail.addEdit(2, 5);
    expect([0, 1, 2, 3, 4].map((offset) => trail.toSourceOffset(offset))).toEqual([0, 1, 5, 6, 7]);
  });

  it("stays inside what a longer replacement stands for", () => {
    const trail = new OffsetMap();
    // "a½b" became "a1/2b".
    trail.addEdit(4, 2);
    expect([0, 1, 2, 3, 4, 5].map((offset) => trail.toSourceOffset(offset))).toEqual([0, 1, 2, 2, 2, 3]);
  });
});
