import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bucketEdges,
  countBuckets,
  INTERVALS,
  type Interval,
  isTimeZone,
  pickInterval,
  startOfDay,
} from "./time-zone.ts";

describe("zones and days", () => {
  describe("startOfDay", () => {
    it.each([
      ["2026-01-15", "UTC", 0, "2026-01-15T00:00:00.000Z"],
      ["2026-01-15", "UTC", 1, "2026-01-16T00:00:00.000Z"],
      ["2026-12-31", "UTC", 1, "2027-01-01T00:00:00.000Z"],
      ["2028-02-28", "UTC", 1, "2028-02-29T00:00:00.000Z"],
      ["2026-01-15", "Asia/Kolkata", 0, "2026-01-14T18:30:00.000Z"],
      ["2026-01-15", "Asia/Kathmandu", 0, "2026-01-14T18:15:00.000Z"],
      ["2026-01-15", "America/Los_Angeles", 0, "2026-01-15T08:00:00.000Z"],
      ["2026-07-15", "America/Los_Angeles", 0, "2026-07-15T07:00:00.000Z"],
      ["2026-01-15", "Pacific/Kiritimati", 0, "2026-01-14T10:00:00.000Z"],
      ["2026-01-15", "Pacific/Pago_Pago", 0, "2026-01-15T11:00:00.000Z"],
      // Berlin's clocks go forward on 29 March 2026 and back on 25 October.
      ["2026-03-29", "Europe/Berlin", 0, "2026-03-28T23:00:00.000Z"],
      ["2026-03-29", "Europe/Berlin", 1, "2026-03-29T22:00:00.000Z"],
      ["2026-10-25", "Europe/Berlin", 0, "2026-10-24T22:00:00.000Z"],
      ["2026-10-25", "Europe/Berlin", 1, "2026-10-25T23:00:00.000Z"],
      // New York, on the day its clocks go forward and after.
      ["2026-03-08", "America/New_York", 0, "2026-03-08T05:00:00.000Z"],
      ["2026-03-08", "America/New_York", 1, "2026-03-09T04:00:00.000Z"],
      // Lord Howe Island changes its clocks by half an hour.
      ["2026-04-05", "Australia/Lord_Howe", 0, "2026-04-04T13:00:00.000Z"],
      ["2026-04-05", "Australia/Lord_Howe", 1, "2026-04-05T13:30:00.000Z"],
    ])("of %s in %s, %d days later, is %s", (date, zone, days, moment) => {
      expect(startOfDay(date, zone, days).toISOString()).toBe(moment);
    });

    it.each([
      // Where clocks go forward at midnight, the day begins at one.
      ["2024-04-26", "Africa/Cairo", "2024-04-25T22:00:00.000Z"],
      ["2024-09-08", "America/Santiago", "2024-09-08T04:00:00.000Z"],
      ["2024-03-10", "America/Havana", "2024-03-10T05:00:00.000Z"],
      ["2024-03-31", "Asia/Beirut", "2024-03-30T22:00:00.000Z"],
      // Where they go back at or just after midnight, it occurs twice: the day begins at the first.
      ["2024-11-03", "America/Havana", "2024-11-03T04:00:00.000Z"],
      ["2024-04-07", "America/Santiago", "2024-04-07T04:00:00.000Z"],
    ])("of %s in %s is %s, although clocks change at midnight", (date, zone, moment) => {
      expect(startOfDay(date, zone, 0).toISOString()).toBe(moment);
    });

    it("belongs to that day, and the moment before it to the previous one, in every zone", () => {
      const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
      const day = fc.date({ min: new Date("2020-01-01"), max: new Date("2030-12-31"), noInvalidDate: true });
      fc.assert(
        fc.property(zone, day, (timeZone, date) => {
          const wanted = date.toISOString().slice(0, 10);
          const written = new Intl.DateTimeFormat("en-CA", {
            timeZone,
            year: "numeric",
            month: "2-digit",
            day: "2-digit",
          });
          const start = startOfDay(wanted, timeZone, 0);
          expect(written.format(start)).toBe(wanted);
          expect(written.format(start.getTime() - 1) < wanted).toBe(true);
        }),
        { numRuns: 150 },
      );
    });
  });

  describe("isTimeZone", () => {
    it.each(["UTC", "utc", "GMT", "Europe/Berlin", "europe/berlin", "Asia/Kolkata", "Etc/GMT+5", "US/Pacific"])(
      "accepts %s",
      (name) => {
        expect(isTimeZone(name)).toBe(true);
      },
    );

    it("accepts every zone that the runtime lists", () => {
      expect(Intl.supportedValuesOf("timeZone").filter((name) => !isTimeZone(name))).toEqual([]);
    });

    it.each(["", "Nowhere/City", "Berlin", "IST", "+05:30", "UTC+1", "Europe/Berlin ", "Europe/Berlin'", "a/\n"])(
      "refuses %j",
      (name) => {
        expect(isTimeZone(name)).toBe(false);
      },
    );
  });
});

describe("buckets", () => {
  const edgesOf = (from: string, to: string, interval: Interval, zone: string) =>
    bucketEdges(Date.parse(from), Date.parse(to), interval, zone).map((ms) =>
      new Date(ms).toISOString().replace(":00.000Z", "Z"),
    );
  const HOUR_MS = 3_600_000;

  describe("hours of a range", () => {
    it("are 23 on the day clocks go forward, and 25 on the day they go back", () => {
      const hours = (from: string, to: string) => edgesOf(from, to, "hour", "Europe/Berlin").length - 1;
      expect(hours("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")).toBe(23);
      expect(hours("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")).toBe(25);
    });

    it("begin at the zone's full hours, the first before the range", () => {
      expect(edgesOf("2026-01-15T10:10:00Z", "2026-01-15T11:31:00Z", "hour", "Asia/Kolkata")).toEqual([
        "2026-01-15T09:30Z",
        "2026-01-15T10:30Z",
        "2026-01-15T11:30Z",
        "2026-01-15T12:30Z",
      ]);
    });

    it("are split where clocks change by half an hour", () => {
      // On Lord Howe Island clocks go back from 2:00 to 1:30 on 5 April 2026, at 15:00 UTC.
      expect(edgesOf("2026-04-04T14:00:00Z", "2026-04-04T16:31:00Z", "hour", "Australia/Lord_Howe")).toEqual([
        "2026-04-04T14:00Z",
        "2026-04-04T15:00Z",
        "2026-04-04T15:30Z",
        "2026-04-04T16:30Z",
        "2026-04-04T17:30Z",
      ]);
    });
  });

  describe("days, weeks and months of a range", () => {
    it("begin at the zone's midnight", () => {
      expect(edgesOf("2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", "day", "Europe/Berlin")).toEqual([
        "2026-03-27T23:00Z",
        "2026-03-28T23:00Z",
        "2026-03-29T22:00Z",
        "2026-03-30T22:00Z",
      ]);
    });

    it("begin on Monday, and on the first of the month", () => {
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

    it("skip a day that the zone skipped", () => {
      // Samoa went from 29 to 31 December 2011.
      const edges = bucketEdges(Date.UTC(2011, 11, 29, 12), Date.UTC(2011, 11, 31), "day", "Pacific/Apia");
      expect(edges.length).toBe(new Set(edges).size);
    });
  });

  describe("buckets of any range", () => {
    it("follow each other and cover the whole range", () => {
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

  describe("pickInterval", () => {
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

    it("agrees with countBuckets, which does not list them", () => {
      expect(countBuckets(0, 49 * HOUR_MS, "hour")).toBe(49);
      expect(countBuckets(0, 49 * HOUR_MS, "day")).toBe(3);
    });
  });
});
