import { describe, expect, it } from "vitest";
import { DECAY, DecayingSum, toSumChange } from "./learning-store.ts";

const one = (surplus: number) => ({ steps: 1, weight: 1, surplus });

describe("a sum that forgets", () => {
  it("weighs what came last most", () => {
    const sum = new DecayingSum();
    sum.add(one(1));
    sum.add(one(-1));
    expect(sum.weight).toBeCloseTo(1 + DECAY);
    expect(sum.surplus).toBeCloseTo(DECAY - 1);
  });

  it("finds out within a few thousand outcomes that a model got worse", () => {
    const sum = new DecayingSum();
    for (let count = 0; count < 5_000; count++) sum.add(one(0.3));
    for (let count = 0; count < 2_500; count++) sum.add(one(-0.3));
    expect(sum.surplus / sum.weight).toBeLessThan(-0.2);
  });

  it("reads the same whether or not the store was told in between", () => {
    const [told, untold] = [new DecayingSum(), new DecayingSum()];
    let stored = { weight: 0, surplus: 0 };
    for (const [index, surplus] of [0.5, -0.25, 1, -1, 0.125].entries()) {
      told.add(one(surplus));
      untold.add(one(surplus));
      if (index % 2 === 0) continue;
      const { decayFactor: left, ...change } = toSumChange(told.takePending());
      stored = {
        weight: stored.weight * left + change.weight,
        surplus: stored.surplus * left + change.surplus,
      };
      told.add(one(0));
      untold.add(one(0));
      told.reset(stored);
    }
    expect(told.weight).toBeCloseTo(untold.weight, 10);
    expect(told.surplus).toBeCloseTo(untold.surplus, 10);
  });

  it("loses nothing where the store can't take what it was told", () => {
    const [sum, other] = [new DecayingSum(), new DecayingSum()];
    for (const surplus of [0.5, -0.5, 0.75]) for (const each of [sum, other]) each.add(one(surplus));
    const taken = sum.takePending();
    for (const each of [sum, other]) each.add(one(0.25));
    sum.putBack(taken);
    const [late, straight] = [sum.takePending(), other.takePending()];
    for (const name of ["steps", "weight", "surplus"] as const) expect(late[name]).toBeCloseTo(straight[name], 10);
    expect(sum.isPending).toBe(false);
  });

  it("never has more surplus than outcomes, whatever is taken back", () => {
    const sum = new DecayingSum();
    sum.add(one(0.5));
    sum.add({ steps: 0, weight: -3, surplus: 2 });
    expect([sum.weight, sum.surplus]).toEqual([0, 0]);
  });
});
