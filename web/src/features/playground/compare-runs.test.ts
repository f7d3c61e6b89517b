import { describe, expect, it } from "vitest";
import { describeDifference } from "./compare-runs.ts";

describe("two answers side by side", () => {
  it("are compared by cost, time and first text", () => {
    expect(
      describeDifference(
        { cost: 0.0003, totalMs: 1_200, firstMs: 300 },
        { cost: 0.0001, totalMs: 2_400, firstMs: 350 },
      ),
    ).toEqual([
      "Right cost $0.0002 less, 1/3 of the other.",
      "Left took 1.2 s less, 1/2 of the other.",
      "Left began 50 ms earlier.",
    ]);
  });

  it("have nothing to say of what is not known", () => {
    expect(describeDifference({ cost: 1 }, {})).toEqual([]);
  });

  it("may be the same", () => {
    expect(describeDifference({ cost: 0.1 + 0.2 }, { cost: 0.3 })).toEqual(["Both cost the same."]);
    expect(describeDifference({ cost: 0 }, { cost: 0.5 })).toEqual(["Left cost $0.50 less."]);
  });
});
