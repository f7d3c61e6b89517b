import { describe, expect, it } from "vitest";
import { forecastOf, forecastStart, rangeBefore, rangeOf } from "./usage-range.ts";
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

  it("may be a quarter or the twelve months that end with this one", () => {
    expect(rangeOf({ range: "90d" }, NOW, "UTC")).toMatchObject({ from: "2025-12-01", to: "2026-02-28" });
    expect(rangeOf({ range: "12m" }, NOW, "UTC")).toMatchObject({ from: "2025-03-01", to: "2026-02-28" });
    expect(rangeOf({ range: "12m" }, Date.UTC(2026, 11, 5), "UTC")).toMatchObject({ from: "2026-01-01" });
  });

  it("is compared with the period before, of the same length", () => {
    const before = (range: "today" | "7d" | "month" | "last-month", now = NOW) => rangeBefore({ range }, now, "UTC");
    expect(before("today")).toMatchObject({ from: "2026-02-27", to: "2026-02-27" });
    expect(before("7d")).toMatchObject({ from: "2026-02-15", to: "2026-02-21" });
    expect(before("month")).toMatchObject({ from: "2026-01-01", to: "2026-01-28" });
    expect(before("month", Date.UTC(2026, 2, 31))).toMatchObject({ from: "2026-02-01", to: "2026-02-28" });
    expect(before("last-month")).toMatchObject({ from: "2025-12-01", to: "2025-12-31" });
    expect(rangeBefore({ range: "24h" }, NOW, "UTC")).toMatchObject({
      from: "2026-02-26T13:25:04.000Z",
      to: "2026-02-27T13:00:00.000Z",
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

describe("the forecast of the month", () => {
  const day = (date: string, cost: number) => ({ start: `${date}T00:00:00Z`, cost });

  it("is what was spent and the pace of the last days for the rest", () => {
    const now = Date.UTC(2026, 3, 10, 12);
    const days = ["04-01", "04-02", "04-03", "04-04", "04-05", "04-06", "04-07", "04-08", "04-09"].map((date) =>
      day(`2026-${date}`, 2),
    );
    // Nine days of 2, the rest of today, and 20 days to come.
    expect(forecastOf([...days, day("2026-04-10", 0.5)], now, "UTC")).toBeCloseTo(18.5 + 1.5 + 40);
    expect(forecastStart(now, "UTC")).toBe("2026-04-01");
    expect(forecastStart(Date.UTC(2026, 3, 3), "UTC")).toBe("2026-03-27");
  });

  it("is none while there are fewer than three days to go by", () => {
    expect(forecastOf([day("2026-04-09", 5)], Date.UTC(2026, 3, 10), "UTC")).toBeUndefined();
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
