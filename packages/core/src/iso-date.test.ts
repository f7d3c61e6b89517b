import { describe, expect, it } from "vitest";
import { isoDateSchema } from "./iso-date.ts";

describe("an ISO date", () => {
  it.each(["2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31"])("is %s", (text) => {
    expect(isoDateSchema.safeParse(text).success).toBe(true);
  });

  it.each([
    "",
    "2026-02-29",
    "2026-13-01",
    "2026-1-1",
    "0000-01-01",
    "2026-01-31T00:00:00Z",
    "+12026-01-31",
    20_260_131,
  ])("is not %j", (text) => {
    expect(isoDateSchema.safeParse(text).success).toBe(false);
  });
});
