import { describe, expect, it } from "vitest";
import { deltasOf, signed } from "./effect-words.ts";

const effect = (cost: number, expected_latency_ms: number, predicted_quality: number) => ({
  cost,
  expected_latency_ms,
  predicted_quality,
});
const ACTUAL = effect(0.02, 1_000, 0.5);

describe("what a strategy would have changed", () => {
  it("has a sign, and says whether it is better", () => {
    const deltas = deltasOf(ACTUAL, effect(0.03, 500, 0.6), effect(0.01, -500, 0.1));
    expect(deltas.map(({ change, words, turn }) => [change, words, turn])).toEqual([
      ["+50%", "dearer", "worse"],
      ["−50%", "faster", "better"],
      ["+20%", "better", "better"],
    ]);
    expect(deltas[0]?.span).toBe("$0.02 → $0.03");
  });

  it("is shown in the other direction as well", () => {
    const deltas = deltasOf(ACTUAL, effect(0.01, 2_000, 0.4), effect(-0.01, 1_000, -0.1));
    expect(deltas.map(({ words, turn }) => [words, turn])).toEqual([
      ["cheaper", "better"],
      ["slower", "worse"],
      ["worse", "worse"],
    ]);
  });

  it("is nothing where nothing changes, and an amount where there was nothing before", () => {
    expect(deltasOf(ACTUAL, ACTUAL, effect(0, 0, 0)).map(({ change, turn }) => [change, turn])).toEqual([
      ["±0", "same"],
      ["±0", "same"],
      ["±0", "same"],
    ]);
    const [dear] = deltasOf(effect(0.01, 1, 1), effect(0.18, 1, 1), effect(0.167, 0, 0));
    expect(dear?.change).toBe("+1,670 %");
    const [cost] = deltasOf(effect(0, 100, 0.5), effect(0.01, 100, 0.5), effect(0.01, 0, 0));
    expect(cost?.change).toBe("+$0.01");
  });

  it("writes a minus that reads as one", () => {
    expect(signed(-5, String)).toBe("−5");
    expect(signed(5, String)).toBe("+5");
    expect(signed(0, String)).toBe("0");
  });
});
