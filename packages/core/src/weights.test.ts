import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areValidWeights, DEFAULT_WEIGHTS, normaliseWeights } from "./weights.ts";

describe("weights", () => {
  it("are three shares of one", () => {
    expect(areValidWeights(DEFAULT_WEIGHTS)).toBe(true);
    expect(areValidWeights({ cost: 1, speed: 0, quality: 0 })).toBe(true);
    expect(areValidWeights({ cost: 0.33, speed: 0.33, quality: 0.33 })).toBe(true);
    expect(areValidWeights({ cost: 0.5, speed: 0.5, quality: 0.5 })).toBe(false);
    expect(areValidWeights({ cost: 1.2, speed: -0.2, quality: 0 })).toBe(false);
    expect(areValidWeights({ cost: 0, speed: 0, quality: 0 })).toBe(false);
  });

  it("keep what was said and are one together, thirds as well", () => {
    expect(normaliseWeights({ cost: 0.5, speed: 0.25, quality: 0.25 })).toEqual({
      cost: 0.5,
      speed: 0.25,
      quality: 0.25,
    });
    expect(normaliseWeights({ cost: 0.33, speed: 0.33, quality: 0.33 })).toEqual({
      cost: 0.3333,
      speed: 0.3333,
      quality: 0.3334,
    });
  });

  it("are never below nothing and always one together", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, (one, other) => {
        const [least, most] = [Math.min(one, other), Math.max(one, other)];
        const settled = normaliseWeights({ cost: least, speed: most - least, quality: 1 - most });
        expect(Math.min(settled.cost, settled.speed, settled.quality)).toBeGreaterThanOrEqual(0);
        expect(settled.cost + settled.speed + settled.quality).toBeCloseTo(1, 3);
      }),
    );
  });
});
