import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstIdAt, isId, newId, timeOfId } from "./id.ts";

describe("newId", () => {
  const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 });

  it("is a UUID of version 7 that contains its creation time", () => {
    fc.assert(
      fc.property(moment, (now) => {
        const id = newId(now);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(timeOfId(id)).toBe(now);
        expect(isId(id)).toBe(true);
      }),
    );
  });

  it("sorts after every id of an earlier millisecond", () => {
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        fc.pre(one < other);
        expect(newId(one) < newId(other)).toBe(true);
      }),
    );
  });

  it("sorts after firstIdAt of its millisecond, and before that of the next", () => {
    fc.assert(
      fc.property(moment, (now) => {
        expect(firstIdAt(now) < newId(now)).toBe(true);
        if (now < 2 ** 48 - 1) expect(newId(now) < firstIdAt(now + 1)).toBe(true);
      }),
    );
  });

  it("sorts between firstIdAt of moments out of range", () => {
    expect(isId(firstIdAt(-1)) && isId(firstIdAt(2 ** 50))).toBe(true);
    expect(firstIdAt(-1) < newId(0)).toBe(true);
    expect(newId(2 ** 48 - 2) < firstIdAt(2 ** 50)).toBe(true);
  });

  it("sorts in the order of creation within a millisecond", () => {
    const ids = Array.from({ length: 2_000 }, () => newId(7));
    expect(ids.toSorted()).toEqual(ids);
  });

  it("is unique, also within a millisecond", () => {
    const ids = Array.from({ length: 10_000 }, () => newId(1));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("isId", () => {
  it.each([
    "",
    "1",
    "0190163D-8694-739B-AEA5-966C26F8AD91",
    "0190163d8694739baea5966c26f8ad91",
    " 0190163d-8694-739b-aea5-966c26f8ad91",
    "0190163d-8694-739b-aea5-966c26f8ad91\n",
    "0190163d-8694-739b-aea5-966c26f8ad9g",
    "' OR 1=1 --",
  ])("refuses %j", (text) => {
    expect(isId(text)).toBe(false);
  });
});
