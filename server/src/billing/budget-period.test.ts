import { describe, expect, it } from "vitest";
import { startOfPeriod } from "./budget-period.ts";

describe("the running period", () => {
  const at = (text: string) => Date.parse(`${text}Z`);

  it.each([
    ["day", "2026-01-15T00:00:00.000", "2026-01-15T00:00:00"],
    ["day", "2026-01-15T23:59:59.999", "2026-01-15T00:00:00"],
    // The fifteenth of January 2026 is a Thursday, the twelfth a Monday.
    ["week", "2026-01-15T12:00:00", "2026-01-12T00:00:00"],
    ["week", "2026-01-12T00:00:00", "2026-01-12T00:00:00"],
    ["week", "2026-01-11T23:59:59.999", "2026-01-05T00:00:00"],
    ["week", "2026-01-01T05:00:00", "2025-12-29T00:00:00"],
    ["month", "2026-01-31T23:59:59.999", "2026-01-01T00:00:00"],
    ["month", "2028-02-29T12:00:00", "2028-02-01T00:00:00"],
  ] as const)("of a %s at %s began at %s", (period, now, start) => {
    expect(startOfPeriod(period, at(now), "UTC")).toBe(at(start));
  });

  it("of a budget in total never began", () => {
    expect(startOfPeriod("total", at("2026-01-15T00:00:00"), "UTC")).toBeUndefined();
  });
});
