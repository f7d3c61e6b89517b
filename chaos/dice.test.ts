import { describe, expect, it } from "vitest";
import { Dice } from "./dice.ts";

const draws = (dice: Dice, count = 50) => Array.from({ length: count }, () => dice.whole(1, 1_000));

describe("the dice", () => {
  it("show the same for the same seed, and something else for another", () => {
    expect(draws(new Dice("7"))).toEqual(draws(new Dice("7")));
    expect(draws(new Dice("7"))).not.toEqual(draws(new Dice("8")));
  });

  it("show the same in a fork, whatever others have drawn before", () => {
    const busy = new Dice("7");
    draws(busy);
    expect(draws(busy.fork("client a"))).toEqual(draws(new Dice("7").fork("client a")));
    expect(draws(busy.fork("client b"))).not.toEqual(draws(busy.fork("client a")));
  });

  it("keep within what they are asked for", () => {
    const dice = new Dice("7");
    expect(new Set(Array.from({ length: 500 }, () => dice.whole(2, 4)))).toEqual(new Set([2, 3, 4]));
    for (const value of draws(dice)) expect(value).toBeGreaterThanOrEqual(1);
    expect(Array.from({ length: 100 }, () => dice.chance(0))).not.toContain(true);
  });

  it("show a name as often as its weight says, and never one without", () => {
    const dice = new Dice("7");
    const shown = Array.from({ length: 4_000 }, () => dice.weighted({ often: 3, seldom: 1, never: 0 }));
    expect(shown).not.toContain("never");
    const often = shown.filter((name) => name === "often").length;
    expect(often).toBeGreaterThan(2_850);
    expect(often).toBeLessThan(3_150);
  });
});
