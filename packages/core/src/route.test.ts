import { describe, expect, it } from "vitest";
import { displayScore, winningMarginOf } from "./route.ts";

const scored = (model: string, score: number, tier = 0) => ({ model, score, tier });

describe("winningMarginOf", () => {
  it.each([
    ["cost-optimized", "credits", 0.001, 0.003, 0.002],
    ["speed-optimized", "ms", 900, 1_400.5, 500.5],
    ["quality-optimized", "quality", 0.9, 0.8, 0.1],
    ["hybrid", "worth", 0.2, -0.1, 0.3],
  ] as const)("measures %s in %s, and a larger margin is a clearer win", (strategy, measure, first, second, margin) => {
    const candidates = [scored("a/x", first), scored("a/y", second)];
    expect(winningMarginOf(strategy, candidates)).toEqual({ measure, runnerUp: "a/y", margin });
  });

  it("is negative where something other than the measure decided", () => {
    const candidates = [scored("a/sound", 0.003), scored("a/cheap", 0.001)];
    expect(winningMarginOf("cost-optimized", candidates).margin).toBe(-0.002);
  });

  it("has no runner-up of another tier, which did not compete", () => {
    const candidates = [scored("a/x", 1), scored("a/backup", 2, 1)];
    expect(winningMarginOf("hybrid", candidates)).toEqual({
      measure: "worth",
      runnerUp: undefined,
      margin: undefined,
    });
  });
});

it("shows a cost in credits", () => {
  expect(displayScore("cost-optimized", 1_500_000)).toBe(0.0015);
  expect(displayScore("speed-optimized", 812.345_678)).toBe(812.3457);
});
