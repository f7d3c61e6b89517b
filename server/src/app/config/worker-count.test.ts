import { describe, expect, it } from "vitest";
import { defaultWorkerCount } from "./worker-count.ts";

const MIB = 1024 * 1024;

describe("the number of workers by default", () => {
  it.each([
    [1, 64_000 * MIB, 1],
    [2, 64_000 * MIB, 2],
    [64, 64_000 * MIB, 8],
    [4, 2_048 * MIB, 4],
    [4, 1_024 * MIB, 2],
    [4, 1_023 * MIB, 1],
    [4, 256 * MIB, 1],
  ])("on %i processors with %i bytes is %i", (processors, memoryBytes, workers) => {
    expect(defaultWorkerCount({ processors, memoryBytes })).toBe(workers);
  });

  it("is at least one here", () => {
    expect(defaultWorkerCount()).toBeGreaterThanOrEqual(1);
  });
});
