import { describe, expect, it } from "vitest";
import { deltasOf, signed, writeFigure } from "./effect-words.ts";

const effect = (cost: number, expected_latency_ms: number, predicted_quality: number) => ({
  cost,
  expected_latency_ms,
  predicted_quality,
});
const ACTUAL = effect(0.02, 1_000, 0.5);

describe("what a strategy would have changed", () => {
  it("has an amount and a direction, and says whether it is better", () => {
    expect(deltasOf(ACTUAL, effect(0.01, -500, 0.1)).map(({ change, turn }) => [change, turn])).toEqual([
      ["50% more expensive", "worse"],
      ["50% faster", "better"],
      ["20% better", "better"],
    ]);
    expect(deltasOf(ACTUAL, effect(-0.01, 1_000, -0.1)).map(({ change, turn }) => [change, turn])).toEqual([
      ["50% cheaper", "better"],
      ["100% slower", "worse"],
      ["20% worse", "worse"],
    ]);
  });

  it("is nothing where nothing changes, and an amount where there was nothing before", () => {
    expect(deltasOf(ACTUAL, effect(0, 0, 0)).map(({ change, turn }) => [change, turn])).toEqual([
      ["No change", "same"],
      ["No change", "same"],
      ["No change", "same"],
    ]);
    expect(deltasOf(effect(0.01, 1, 1), effect(0.167, 0, 0))[0]?.change).toBe("1,670% more expensive");
    expect(deltasOf(effect(0, 100, 0.5), effect(0.01, 0, 0))[0]?.change).toBe("$0.01 more expensive");
  });

  it("is written in the unit of each measure", () => {
    expect([writeFigure("cost", 0.02), writeFigure("speed", 120), writeFigure("quality", 0.5)]).toEqual([
      "$0.02",
      "120 ms",
      "0.50",
    ]);
  });

  it("writes a minus that reads as one", () => {
    expect(signed(-5, String)).toBe("−5");
    expect(signed(5, String)).toBe("+5");
    expect(signed(0, String)).toBe("0");
  });
});
