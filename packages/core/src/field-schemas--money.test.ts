import { describe, expect, it } from "vitest";
import { creditsSchema, toNanoCredits } from "./field-schemas--money.ts";

describe("credits on the wire", () => {
  it.each([0, 1, 0.1, 1e-9, 999_999.999_999_999, 1_000_000])("can be %d", (value) => {
    expect(creditsSchema(0, 1_000_000).safeParse(value).success).toBe(true);
  });

  it.each([-1, 1_000_001, 1e-10, 0.000_000_000_5, Number.NaN, Number.POSITIVE_INFINITY, "1", null])(
    "can't be %s",
    (value) => {
      expect(creditsSchema(0, 1_000_000).safeParse(value).success).toBe(false);
    },
  );

  it("are exact inside", () => {
    expect(toNanoCredits(0.1)).toBe(100_000_000n);
    expect(toNanoCredits(1e-9)).toBe(1n);
    expect(() => toNanoCredits(1e-10)).toThrow("9 decimals");
  });
});
