import { describe, expect, it } from "vitest";
import { displayScore, winningMarginOf } from "./route.ts";

const contestant = (model: string, score: number, tier = 0) => ({ model, score, tier });

describe("how the first came to be the first", () => {
  it.each([
    ["cost-optimized", "credits", 0.001, 0.003, 0.002],
    ["speed-optimized", "ms", 900, 1_400.5, 500.5],
    ["quality-optimized", "quality", 0.9, 0.8, 0.1],
    ["hybrid", "balance", 0.2, -0.1, 0.3],
  ] as const)("under %s is told in %s, the more the clearer", (strategy, measure, first, second, margin) => {
    const candidates = [contestant("a/x", first), contestant("a/y", second)];
    expect(winningMarginOf(strategy, candidates)).toEqual({ measure, runnerUp: "a/y", margin });
  });

  it("is below zero where something else than the measure decided", () => {
    const candidates = [contestant("a/sound", 0.003), contestant("a/cheap", 0.001)];
    expect(winningMarginOf("cost-optimized", candidates).margin).toBe(-0.002);
  });

  it("has no runner-up of another tier, which did not compete", () => {
    const candidates = [contestant("a/x", 1), contestant("a/backup", 2, 1)];
    expect(winningMarginOf("hybrid", candidates)).toEqual({
      measure: "balance",
      runnerUp: undefined,
      margin: undefined,
    });
  });
});

it("shows the score of a cost in credits", () => {
  expect(displayScore("cost-optimized", 1_500_000)).toBe(0.0015);
  expect(displayScore("speed-optimized", 812.345_678)).toBe(812.3457);
});
