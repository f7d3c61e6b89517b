import { describe, expect, it } from "vitest";
import {
  addFigures,
  availabilityOf,
  figuresOfAnswer,
  NO_FIGURES,
  ONE_FAILURE,
  speedOf,
} from "./endpoint-figures.ts";

describe("speedOf", () => {
  it("says nothing where nothing was seen", () => {
    expect(speedOf(NO_FIGURES)).toEqual({
      latencyMs: undefined,
      firstPartMs: undefined,
      tokensPerSecond: undefined,
      errorRate: undefined,
    });
  });

  it("reads times off the answers alone, and the rate of errors off all calls", () => {
    const figures = [
      figuresOfAnswer({ ms: 1_100, firstPartMs: 100, outputTokens: 50 }),
      figuresOfAnswer({ ms: 900, firstPartMs: undefined, outputTokens: undefined }),
      ONE_FAILURE,
      ONE_FAILURE,
    ].reduce(addFigures);
    expect(speedOf(figures)).toEqual({
      latencyMs: 1_000,
      firstPartMs: 100,
      tokensPerSecond: 50,
      errorRate: 0.5,
    });
  });

  it("reads no throughput from an answer that came in one piece", () => {
    const figures = figuresOfAnswer({ ms: 101, firstPartMs: 100, outputTokens: 1_000 });
    expect(speedOf(figures).tokensPerSecond).toBeUndefined();
    expect(figures.outputTokens).toBe(1_000);
  });
});

describe("availabilityOf", () => {
  it.each([
    [0, 0, "no data"],
    [100, 0, "up"],
    [100, 4, "up"],
    [100, 5, "degraded"],
    [3, 1, "degraded"],
    [100, 50, "down"],
    [1, 1, "down"],
  ])("of %i calls with %i failures is %s", (calls, failures, expected) => {
    expect(availabilityOf({ ...NO_FIGURES, calls, failures })).toBe(expected);
  });
});
