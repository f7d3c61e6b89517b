import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ActiveList, type Listed } from "./active-list.ts";

class Thing implements Listed {
  place = -1;
}

function contentOf(list: ActiveList<Thing>): Set<Thing> {
  const seen: Thing[] = [];
  list.visitAll((thing) => seen.push(thing));
  expect(seen.length).toBe(list.size);
  return new Set(seen);
}

describe("a list of active things", () => {
  it("holds what a set would", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ adds: fc.boolean(), index: fc.nat(9) })), (steps) => {
        const things = Array.from({ length: 10 }, () => new Thing());
        const list = new ActiveList<Thing>();
        const expected = new Set<Thing>();
        for (const { adds, index } of steps) {
          const thing = things[index] as Thing;
          if (adds) {
            list.add(thing);
            expected.add(thing);
          } else {
            list.delete(thing);
            expected.delete(thing);
          }
          expect(contentOf(list)).toEqual(expected);
        }
      }),
    );
  });

  it("visits every one although each is removed at its visit", () => {
    const things = Array.from({ length: 100 }, () => new Thing());
    const list = new ActiveList<Thing>();
    for (const thing of things) list.add(thing);
    const seen = new Set<Thing>();
    list.visitAll((thing) => {
      seen.add(thing);
      list.delete(thing);
    });
    expect(seen).toEqual(new Set(things));
    expect(list.size).toBe(0);
  });

  it("does not take one for another that was removed twice or is in another list", () => {
    const [one, other] = [new Thing(), new Thing()];
    const [list, second] = [new ActiveList<Thing>(), new ActiveList<Thing>()];
    list.add(one);
    second.add(other);
    list.delete(other);
    expect([list.size, second.size]).toEqual([1, 1]);
    list.delete(one);
    list.delete(one);
    expect(list.size).toBe(0);
  });
});
