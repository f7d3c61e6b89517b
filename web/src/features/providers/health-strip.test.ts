import { describe, expect, it } from "vitest";
import { lastHours } from "./health-strip.tsx";

const NOW = Date.parse("2026-03-03T10:20:00Z");

describe("the last 24 hours", () => {
  it("are 24, the oldest first, and end with the one that runs", () => {
    const hours = lastHours([], NOW);
    expect(hours).toHaveLength(24);
    expect(hours[0]?.at).toBe(Date.parse("2026-03-02T11:00:00Z"));
    expect(hours[23]?.at).toBe(Date.parse("2026-03-03T10:00:00Z"));
  });

  it("hold what happened in each, and nothing older", () => {
    const row = (start: string, requests: number, errors: number) => ({ start, requests, errors });
    const hours = lastHours(
      [row("2026-03-03T10:00:00Z", 3, 1), row("2026-03-03T09:30:00Z", 2, 0), row("2026-03-01T10:00:00Z", 9, 9)],
      NOW,
    );
    expect(hours[23]).toMatchObject({ requests: 3, errors: 1 });
    expect(hours[22]).toMatchObject({ requests: 2, errors: 0 });
    expect(hours.reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
  });
});
