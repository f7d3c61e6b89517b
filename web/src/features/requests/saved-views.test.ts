import { describe, expect, it } from "vitest";
import { readViews, withView, writeViews } from "./saved-views.ts";

function storageWith(text: string | null) {
  let kept = text;
  return {
    getItem: () => kept,
    setItem: (_: string, value: string) => {
      kept = value;
    },
  };
}

describe("saved views", () => {
  it("come back as they were saved, one of each name", () => {
    const storage = storageWith(null);
    const first = withView([], { name: " Errors ", filters: { status: "error" } });
    const views = withView(first, { name: "Errors", filters: { status: "5xx", tag: "team=search" } });
    writeViews("account", views, storage);
    expect(readViews("account", storage)).toEqual([{ name: "Errors", filters: { status: "5xx", tag: "team=search" } }]);
  });

  it.each(["{", "7", '[null, 1, {"name":""}, {"name":"a"}]'])("are none where the storage has %s", (text) => {
    expect(readViews("account", storageWith(text))).toEqual([]);
  });

  it("drop filters that there are none of any more", () => {
    const text = JSON.stringify([{ name: "Old", filters: { status: "fine", model: "a/b", more: 1 } }]);
    expect(readViews("account", storageWith(text))).toEqual([{ name: "Old", filters: { model: "a/b" } }]);
  });
});
