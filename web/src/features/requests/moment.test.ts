import { describe, expect, it } from "vitest";
import { clockIn, momentIn } from "./moment.ts";

describe("a moment in a zone", () => {
  it.each([
    ["UTC", "2026-03-01T09:30:00", "2026-03-01T09:30:00.000Z"],
    ["Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59.000Z"],
    ["Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00.000Z"],
    ["America/St_Johns", "2026-07-01T00:00:00", "2026-07-01T02:30:00.000Z"],
  ])("in %s is read and written: %s", (zone, clock, moment) => {
    expect(momentIn(zone, clock)).toBe(moment);
    expect(clockIn(zone, moment)).toBe(clock);
  });

  it("is none where the field is empty", () => {
    expect(momentIn("UTC", "")).toBeUndefined();
  });
});
