import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exceedsThreshold } from "./reconciliation.ts";

const TERMS = { threshold: 0.05, minimumRequests: 10, graceMs: 0 };
const tally = (requests: number, tokens = 1_000) => ({ requests, tokens });

describe("two counts", () => {
  it.each([
    ["equal", tally(100), tally(100), false],
    ["apart by just the threshold, above", tally(105), tally(100), false],
    ["apart by just the threshold, below", tally(95), tally(100), false],
    ["apart by more, above", tally(106), tally(100), true],
    ["apart by more, below", tally(94), tally(100), true],
    ["apart in tokens alone", tally(100, 1_051), tally(100, 1_000), true],
    ["apart by just the threshold in tokens", tally(100, 1_050), tally(100, 1_000), false],
    ["few on both sides", tally(9), tally(1), false],
    ["few on our side alone", tally(10), tally(1), true],
    ["few on their side alone", tally(0), tally(10), true],
    ["nothing on our side", tally(10, 0), tally(0, 0), true],
    ["nothing on either side", tally(0, 0), tally(0, 0), false],
    ["tokens where we counted none", tally(10, 1), tally(10, 0), true],
  ])("that are %s", (_how, reported, counted, expected) => {
    expect(exceedsThreshold(reported, counted, TERMS, true)).toBe(expected);
  });

  it("are judged by their requests alone where tokens do not count", () => {
    expect(exceedsThreshold(tally(100, 0), tally(100, 9_999), TERMS, false)).toBe(false);
    expect(exceedsThreshold(tally(106, 0), tally(100, 9_999), TERMS, false)).toBe(true);
  });

  it("may be apart by any threshold in whole percents, and by no request more", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (percent, times) => {
          const terms = { ...TERMS, threshold: percent / 100 };
          const [ours, allowed] = [times * 100, times * percent];
          for (const side of [-1, 1]) {
            expect(exceedsThreshold(tally(ours + side * allowed), tally(ours), terms, true)).toBe(false);
            expect(exceedsThreshold(tally(ours + side * (allowed + 1)), tally(ours), terms, true)).toBe(true);
          }
        },
      ),
    );
  });
});
