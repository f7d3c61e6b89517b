import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LruMap } from "./lru-map.ts";

function filled(...keys: readonly string[]): LruMap<string, string> {
  const map = new LruMap<string, string>(3);
  for (const key of keys) map.set(key, key.toUpperCase());
  return map;
}

const held = (map: LruMap<string, string>) => ["a", "b", "c", "d"].filter((key) => map.peek(key) !== undefined);

describe("LruMap", () => {
  it("removes the entry that was added first when none was used since", () => {
    const map = filled("a", "b", "c", "d");
    expect(held(map)).toEqual(["b", "c", "d"]);
    expect(map.size).toBe(3);
  });

  it("keeps an entry that was read or set again", () => {
    const map = filled("a", "b", "c");
    expect(map.get("a")).toBe("A");
    map.set("b", "again");
    map.set("d", "D");
    expect(held(map)).toEqual(["a", "b", "d"]);
    expect(map.get("b")).toBe("again");
  });

  it("does not count a peek as a use", () => {
    const map = filled("a", "b", "c");
    expect(map.peek("a")).toBe("A");
    map.set("d", "D");
    expect(held(map)).toEqual(["b", "c", "d"]);
  });

  it("forgets an entry that was deleted, and all of them when cleared", () => {
    const map = filled("a", "b", "c");
    expect([map.delete("c"), map.delete("c"), map.get("c")]).toEqual([true, false, undefined]);
    map.set("d", "D");
    expect(held(map)).toEqual(["a", "b", "d"]);
    map.clear();
    expect([map.size, held(map)]).toEqual([0, []]);
  });

  it("refuses a size that holds nothing", () => {
    expect(() => new LruMap(0)).toThrow(RangeError);
    expect(() => new LruMap(Number.NaN)).toThrow(RangeError);
  });

  it("holds exactly the entries that were used last, for any sequence of operations", () => {
    const operation = fc.tuple(fc.constantFrom("get", "set", "delete"), fc.constantFrom("a", "b", "c", "d"));
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const map = filled();
        let used: string[] = [];
        for (const [name, key] of operations) {
          if (name === "delete") map.delete(key);
          else if (name === "set") map.set(key, key);
          else map.get(key);
          const rest = used.filter((other) => other !== key);
          if (name === "set" || (name === "get" && used.includes(key))) used = [...rest, key].slice(-3);
          else if (name === "delete") used = rest;
          expect(held(map)).toEqual(used.toSorted());
        }
      }),
    );
  });
});
