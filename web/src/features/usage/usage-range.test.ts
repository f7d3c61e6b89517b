import { describe, expect, it } from "vitest";
import { rangeOf } from "./usage-range.ts";
import { readUsageSearch } from "./usage-search.ts";

/** In Auckland it is already the first of March. */
const NOW = Date.UTC(2026, 1, 28, 12, 34, 56);

describe("a range that is chosen by a word", () => {
  it("goes by the calendar of the zone", () => {
    const auckland = (range: "today" | "7d" | "month" | "last-month") => rangeOf({ range }, NOW, "Pacific/Auckland");
    expect(auckland("today")).toEqual({ from: "2026-03-01", to: "2026-03-01", includesNow: true });
    expect(auckland("7d")).toEqual({ from: "2026-02-23", to: "2026-03-01", includesNow: true });
    expect(auckland("month")).toEqual({ from: "2026-03-01", to: "2026-03-01", includesNow: true });
    expect(auckland("last-month")).toEqual({ from: "2026-02-01", to: "2026-02-28", includesNow: false });
    expect(rangeOf({ range: "last-month" }, NOW, "UTC")).toMatchObject({
      from: "2026-01-01",
      to: "2026-01-31",
    });
  });

  it("of 24 hours ends with the hour that runs", () => {
    expect(rangeOf({ range: "24h" }, NOW, "UTC")).toEqual({
      from: "2026-02-27T13:00:00.000Z",
      includesNow: true,
    });
  });

  it("is the last seven days where nothing was chosen", () => {
    expect(rangeOf({}, NOW, "UTC")).toEqual(rangeOf({ range: "7d" }, NOW, "UTC"));
  });

  it("of one's own is live only while it holds today", () => {
    const own = (from: string, to: string) => rangeOf({ range: "custom", from, to }, NOW, "UTC").includesNow;
    expect(own("2026-01-01", "2026-02-28")).toBe(true);
    expect(own("2026-01-01", "2026-02-27")).toBe(false);
    expect(own("2026-03-01", "2026-03-02")).toBe(false);
  });
});

describe("an address of the page", () => {
  it("is read as it was written", () => {
    const search = {
      range: "30d",
      zone: "Asia/Kolkata",
      metric: "errors",
      by: "key",
      model: "acme/large",
      interval: "day",
    };
    expect(readUsageSearch(search)).toEqual(search);
    expect(readUsageSearch({ model: 4 })).toEqual({ model: "4" });
  });

  it("shows something whatever is wrong in it", () => {
    expect(
      readUsageSearch({ range: "decade", from: "yesterday", zone: "<b>", metric: 1, by: {}, key: "mine" }),
    ).toEqual({});
  });
});
