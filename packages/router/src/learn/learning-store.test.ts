import { describe, expect, it } from "vitest";
import { DECAY, DecayingSum, toSumChange } from "./learning-store.ts";

const one = (surplus: number) => ({ steps: 1, weight: 1, surplus });

describe("DecayingSum", () => {
  it("weighs the latest outcomes most", () => {
    const sum = new DecayingSum();
    sum.add(one(1));
    sum.add(one(-1));
    expect(sum.weight).toBeCloseTo(1 + DECAY);
    expect(sum.surplus).toBeCloseTo(DECAY - 1);
  });

  it("shows within a few thousand outcomes that a model got worse", () => {
    const sum = new DecayingSum();
    for (let count = 0; count < 5_000; count++) sum.add(one(0.3));
    for (let count = 0; count < 2_500; count++) sum.add(one(-0.3));
    expect(sum.surplus / sum.weight).toBeLessThan(-0.2);
  });

  it("has the same value whether or not it was written to the store in between", () => {
    const [written, unwritten] = [new DecayingSum(), new DecayingSum()];
    let stored = { weight: 0, surplus: 0 };
    for (const [index, surplus] of [0.5, -0.25, 1, -1, 0.125].entries()) {
      written.add(one(surplus));
      unwritten.add(one(surplus));
      if (index % 2 === 0) continue;
      const { decayFactor: left, ...change } = toSumChange(written.takePending());
      stored = {
        weight: stored.weight * left + change.weight,
        surplus: stored.surplus * left + change.surplus,
      };
      written.add(one(0));
      unwritten.add(one(0));
      written.reset(stored);
    }
    expect(written.weight).toBeCloseTo(unwritten.weight, 10);
    expect(written.surplus).toBeCloseTo(unwritten.surplus, 10);
  });

  it("loses nothing when a write fails", () => {
    const [sum, other] = [new DecayingSum(), new DecayingSum()];
    for (const surplus of [0.5, -0.5, 0.75]) for (const each of [sum, other]) each.add(one(surplus));
    const taken = sum.takePending();
    for (const each of [sum, other]) each.add(one(0.25));
    sum.putBack(taken);
    const [late, straight] = [sum.takePending(), other.takePending()];
    for (const name of ["steps", "weight", "surplus"] as const) expect(late[name]).toBeCloseTo(straight[name], 10);
    expect(sum.isPending).toBe(false);
  });

  it("never has more surplus than outcomes after retractions", () => {
    const sum = new DecayingSum();
    sum.add(one(0.5));
    sum.add({ steps: 0, weight: -3, surplus: 2 });
    expect([sum.weight, sum.surplus]).toEqual([0, 0]);
  });
});
