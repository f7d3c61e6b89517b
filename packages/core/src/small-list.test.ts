import { describe, expect, it } from "vitest";
import { NONE, withAdded } from "./small-list.ts";

describe("withAdded", () => {
  it("keeps the order, and leaves the shared empty list empty", () => {
    let list: readonly string[] = NONE;
    for (const item of ["one", "two", "three"]) list = withAdded(list, item);
    expect(list).toEqual(["one", "two", "three"]);
    expect(NONE).toEqual([]);
  });
});
