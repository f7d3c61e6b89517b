import { describe, expect, it } from "vitest";
import { adjustDocumentScore, adjustScenarioScore } from "./classes.ts";

describe("length penalties", () => {
  it("accepts no short text as a scenario, measured in bytes", () => {
    expect(adjustScenarioScore(5, "a".repeat(149))).toBe(Number.NEGATIVE_INFINITY);
    expect(adjustScenarioScore(5, "a".repeat(150))).toBe(5);
    expect(adjustScenarioScore(5, "場".repeat(50))).toBe(5);
  });

  it("lowers the score of a long text the longer it is, but not of a short one", () => {
    expect(adjustScenarioScore(5, "a".repeat(1_200))).toBeCloseTo(4);
    expect(adjustScenarioScore(5, "a".repeat(2_400))).toBeCloseTo(3);
    expect(adjustDocumentScore(5, "a".repeat(100))).toBe(5);
    expect(adjustDocumentScore(5, "a".repeat(600))).toBeCloseTo(4.5);
  });
});
