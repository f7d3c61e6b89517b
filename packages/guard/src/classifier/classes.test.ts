import { describe, expect, it } from "vitest";
import { adjustDocumentScore, adjustRequestScore, canBeScenario } from "./classes.ts";

describe("length penalties", () => {
  it("accepts no short text as a scenario, measured in bytes", () => {
    expect(canBeScenario("a".repeat(149))).toBe(false);
    expect(canBeScenario("a".repeat(150))).toBe(true);
    expect(canBeScenario("場".repeat(50))).toBe(true);
  });

  it("lower the score of a longer request, up to a length", () => {
    expect(adjustRequestScore(5, "a".repeat(30))).toBe(5);
    expect(adjustRequestScore(5, "a".repeat(128))).toBeCloseTo(4.7);
    expect(adjustRequestScore(5, "a".repeat(256))).toBeCloseTo(4.4);
    expect(adjustRequestScore(5, "a".repeat(9_000))).toBeCloseTo(4.4);
  });

  it("lower the score of a document the longer it is, but not of a short one", () => {
    expect(adjustDocumentScore(5, "a".repeat(100))).toBe(5);
    expect(adjustDocumentScore(5, "a".repeat(600))).toBeCloseTo(4.5);
  });
});
