import { describe, expect, it } from "vitest";
import { countMinutes, type Overload, playOverload } from "../../../test/support/rate-overload.ts";

const OVERLOAD: Overload = {
  limit: 600,
  perSecond: 30,
  seconds: 140,
  instances: 3,
  storeMs: 5,
  spread: () => 0,
  seed: 1,
};

const EVEN: Overload["spread"] = (nth) => nth;
const RANDOM: Overload["spread"] = (_nth, _atMs, draw) => Math.floor(draw * 3);

const SPREADS: readonly (readonly [string, Overload["spread"]])[] = [
  ["all on one", () => 0],
  ["even", EVEN],
  ["moving every second", (_, atMs) => Math.floor(atMs / 1_000)],
  ["moving every seven seconds", (_, atMs) => Math.floor(atMs / 7_000)],
  ["moving every 25 seconds", (_, atMs) => Math.floor(atMs / 25_000)],
  ["all on one and then even", (nth, atMs) => (atMs < 40_000 ? 0 : nth)],
  ["mostly on one", (_nth, _atMs, draw) => (draw < 0.9 ? 0 : draw < 0.97 ? 1 : 2)],
  ["at random", RANDOM],
];

describe("a limit of 600 a minute on three instances", () => {
  it.each(SPREADS)("admits 600 ± 5 % in every minute of overload, with traffic %s", async (_name, spread) => {
    for (const perSecond of [15, 200]) {
      const admitted = await playOverload({ ...OVERLOAD, spread, perSecond });
      const counts = countMinutes(admitted, OVERLOAD.seconds);
      expect(Math.min(...counts), `${perSecond} a second`).toBeGreaterThanOrEqual(570);
      expect(Math.max(...counts), `${perSecond} a second`).toBeLessThanOrEqual(630);
    }
  });

  it.each([1, 2, 3, 4])("does so with random traffic and a store that is slow, in play %d", async (seed) => {
    const perSecond = 20 * seed;
    const admitted = await playOverload({ ...OVERLOAD, spread: RANDOM, seed, perSecond, storeMs: 40 });
    const counts = countMinutes(admitted, OVERLOAD.seconds);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(570);
    expect(Math.max(...counts)).toBeLessThanOrEqual(630);
  });

  it("admits no more than the burst at once", async () => {
    const admitted = await playOverload({ ...OVERLOAD, perSecond: 2_000, seconds: 1, spread: EVEN });
    expect(admitted.length).toBeGreaterThanOrEqual(100);
    expect(admitted.length).toBeLessThanOrEqual(110);
  });
});

describe("a small limit on three instances", () => {
  it.each([1, 3, 60, 199])("of %d is exact in every minute", async (limit) => {
    const admitted = await playOverload({ ...OVERLOAD, limit, spread: EVEN });
    expect(Math.max(...countMinutes(admitted, OVERLOAD.seconds))).toBe(limit);
    expect(admitted.filter((atMs) => atMs < 60_000)).toHaveLength(limit);
  });
});
