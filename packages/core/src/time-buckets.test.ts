import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketEdges, countBuckets, INTERVALS, type Interval, pickInterval } from "./time-buckets.ts";

const edgesOf = (from: string, to: string, interval: Interval, zone: string) =>
  bucketEdges(Date.parse(from), Date.parse(to), interval, zone).map((ms) =>
    new Date(ms).toISOString().replace(":00.000Z", "Z"),
  );
const HOUR_MS = 3_600_000;

describe("the hours of a range", () => {
  it("are 23 on the day on which the clocks go forward, and 25 where they go back", () => {
    const hours = (from: string, to: string) => edgesOf(from, to, "hour", "Europe/Berlin").length - 1;
    expect(hours("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")).toBe(23);
    expect(hours("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")).toBe(25);
  });

  it("begin at the full hour of the zone, the first before the range does", () => {
    expect(edgesOf("2026-01-15T10:10:00Z", "2026-01-15T11:31:00Z", "hour", "Asia/Kolkata")).toEqual([
      "2026-01-15T09:30Z",
      "2026-01-15T10:30Z",
      "2026-01-15T11:30Z",
      "2026-01-15T12:30Z",
    ]);
  });

  it("are cut where the clocks move by half an hour", () => {
    // On Lord Howe Island it is 2:00 on 5 April 2026 when the clocks go back to 1:30, at 15:00 UTC.
    expect(edgesOf("2026-04-04T14:00:00Z", "2026-04-04T16:31:00Z", "hour", "Australia/Lord_Howe")).toEqual([
      "2026-04-04T14:00Z",
      "2026-04-04T15:00Z",
      "2026-04-04T15:30Z",
      "2026-04-04T16:30Z",
      "2026-04-04T17:30Z",
    ]);
  });
});

describe("days, weeks and months", () => {
  it("begin at midnight of the zone", () => {
    expect(edgesOf("2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", "day", "Europe/Berlin")).toEqual([
      "2026-03-27T23:00Z",
      "2026-03-28T23:00Z",
      "2026-03-29T22:00Z",
      "2026-03-30T22:00Z",
    ]);
  });

  it("begin on Monday, and on the first", () => {
    expect(edgesOf("2026-11-15T00:00:00Z", "2026-11-16T00:00:01Z", "week", "UTC")).toEqual([
      "2026-11-09T00:00Z",
      "2026-11-16T00:00Z",
      "2026-11-23T00:00Z",
    ]);
    expect(edgesOf("2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z", "month", "UTC")).toEqual([
      "2026-12-01T00:00Z",
      "2027-01-01T00:00Z",
    ]);
  });

  it("leave out a day that a zone has left out", () => {
    // Samoa went from 29 to 31 December 2011.
    const edges = bucketEdges(Date.UTC(2011, 11, 29, 12), Date.UTC(2011, 11, 31), "day", "Pacific/Apia");
    expect(edges.length).toBe(new Set(edges).size);
  });
});

describe("the parts of any range", () => {
  it("follow each other, and all of the range lies in them", () => {
    const year = { min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) };
    fc.assert(
      fc.property(
        fc.integer(year),
        fc.integer({ min: 1, max: 200 * HOUR_MS }),
        fc.constantFrom(...INTERVALS),
        fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"),
        (from, length, interval, zone) => {
          const edges = bucketEdges(from, from + length, interval, zone);
          expect(edges[0]).toBeLessThanOrEqual(from);
          expect(edges[1]).toBeGreaterThan(from);
          expect(edges.at(-1)).toBeGreaterThanOrEqual(from + length);
          expect(edges.at(-2)).toBeLessThan(from + length);
          expect(edges).toEqual([...new Set(edges)].sort((a, b) => a - b));
        },
      ),
    );
  });
});

describe("what a range is cut into unless somebody says so", () => {
  it.each([
    [1, "hour"],
    [3, "hour"],
    [7, "day"],
    [92, "day"],
    [366, "week"],
    [2_000, "month"],
  ])("for %i days is: %s", (days, interval) => {
    expect(pickInterval(0, days * 24 * HOUR_MS)).toBe(interval);
  });

  it("is counted without listing it", () => {
    expect(countBuckets(0, 49 * HOUR_MS, "hour")).toBe(49);
    expect(countBuckets(0, 49 * HOUR_MS, "day")).toBe(3);
  });
});
