import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isId, newId } from "./id.ts";

describe("a new id", () => {
  const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 });

  it("is a UUID of version 7 that says when it was made", () => {
    fc.assert(
      fc.property(moment, (now) => {
        const id = newId(now);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(now);
        expect(isId(id)).toBe(true);
      }),
    );
  });

  it("sorts after everything made in an earlier millisecond", () => {
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        fc.pre(one < other);
        expect(newId(one) < newId(other)).toBe(true);
      }),
    );
  });

  it("is never the same twice, even within a millisecond", () => {
    const ids = Array.from({ length: 10_000 }, () => newId(1));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("what can be an id", () => {
  it.each([
    "",
    "1",
    "0190163D-8694-739B-AEA5-966C26F8AD91",
    "0190163d8694739baea5966c26f8ad91",
    " 0190163d-8694-739b-aea5-966c26f8ad91",
    "0190163d-8694-739b-aea5-966c26f8ad91\n",
    "0190163d-8694-739b-aea5-966c26f8ad9g",
    "' OR 1=1 --",
  ])("is not %j", (text) => {
    expect(isId(text)).toBe(false);
  });
});
