import { describe, expect, it } from "vitest";
import { CORNERS, MEASURES, pointOf, sharesAt, sharesOf, towards, withShare } from "./weights.ts";

const sum = (shares: Record<string, number>) => Object.values(shares).reduce((all, one) => all + one, 0);

describe("shares", () => {
  it("are whole percents that add up to a hundred", () => {
    expect(sharesOf({ cost: 0.4, speed: 0.2, quality: 0.4 })).toEqual({ cost: 40, speed: 20, quality: 40 });
    expect(sharesOf({ cost: 0.3333, speed: 0.3333, quality: 0.3334 })).toEqual({
      cost: 33,
      speed: 33,
      quality: 34,
    });
    expect(sharesOf({ cost: 0.995, speed: 0.995, quality: 0 })).toEqual({ cost: 50, speed: 50, quality: 0 });
  });

  it("give what one takes from the other two, in their ratio", () => {
    const shares = { cost: 40, speed: 20, quality: 40 };
    expect(withShare(shares, "cost", 70)).toEqual({ cost: 70, speed: 10, quality: 20 });
    expect(withShare(shares, "speed", 0)).toEqual({ cost: 50, speed: 0, quality: 50 });
    expect(withShare({ cost: 0, speed: 0, quality: 100 }, "quality", 60)).toEqual({
      cost: 20,
      speed: 20,
      quality: 60,
    });
    expect(withShare(shares, "cost", 900)).toEqual({ cost: 100, speed: 0, quality: 0 });
  });

  it("stay a hundred wherever they are moved", () => {
    let shares = { cost: 40, speed: 20, quality: 40 };
    for (const measure of MEASURES) {
      for (let step = 0; step < 130; step++) {
        shares = towards(shares, measure, 1);
        expect(sum(shares)).toBe(100);
        expect(Math.min(...Object.values(shares))).toBeGreaterThanOrEqual(0);
      }
      expect(shares[measure]).toBe(100);
    }
  });
});

describe("the triangle", () => {
  it("has each measure at its corner", () => {
    for (const measure of MEASURES) expect(sharesAt(CORNERS[measure])[measure]).toBe(100);
  });

  it("leads from shares to a point and back", () => {
    for (const shares of [
      { cost: 40, speed: 20, quality: 40 },
      { cost: 1, speed: 98, quality: 1 },
      { cost: 34, speed: 33, quality: 33 },
    ]) {
      expect(sharesAt(pointOf(shares))).toEqual(shares);
    }
  });

  it("takes a point beside it for one on its edge", () => {
    expect(sharesAt({ x: 180, y: -500 })).toEqual({ cost: 0, speed: 0, quality: 100 });
    expect(sharesAt({ x: 180, y: 900 }).quality).toBe(0);
    expect(sharesAt({ x: -900, y: 278 })).toEqual({ cost: 100, speed: 0, quality: 0 });
  });
});
