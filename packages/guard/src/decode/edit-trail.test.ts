import { describe, expect, it } from "vitest";
import { EditTrail } from "./edit-trail.ts";

describe("EditTrail", () => {
  it("changes nothing where nothing was edited", () => {
    expect(new EditTrail().sourceOf(7)).toBe(7);
  });

  it("skips what was taken out", () => {
    const trail = new EditTrail();
    // "ab---cd" became "abcd".
    trail.note(2, 5);
    expect([0, 1, 2, 3, 4].map((offset) => trail.sourceOf(offset))).toEqual([0, 1, 5, 6, 7]);
  });

  it("stays inside what a longer replacement stands for", () => {
    const trail = new EditTrail();
    // "a½b" became "a1/2b".
    trail.note(4, 2);
    expect([0, 1, 2, 3, 4, 5].map((offset) => trail.sourceOf(offset))).toEqual([0, 1, 2, 2, 2, 3]);
  });
});
