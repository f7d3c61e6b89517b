import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfPeriod, startOfPeriod } from "./budget-period.ts";
import { BUDGET_PERIODS, type BudgetPeriod } from "./caller.ts";

const span = (period: BudgetPeriod, now: string, zone: string) =>
  [startOfPeriod(period, Date.parse(now), zone), endOfPeriod(period, Date.parse(now), zone)].map((moment) =>
    moment === undefined ? undefined : new Date(moment).toISOString().replace(":00.000Z", "Z"),
  );

describe("a budget's period", () => {
  it.each<[BudgetPeriod, string, string, string, string]>([
    ["day", "2026-01-15T12:00Z", "UTC", "2026-01-15T00:00Z", "2026-01-16T00:00Z"],
    ["day", "2026-01-15T00:00Z", "UTC", "2026-01-15T00:00Z", "2026-01-16T00:00Z"],
    ["week", "2026-01-15T12:00Z", "UTC", "2026-01-12T00:00Z", "2026-01-19T00:00Z"],
    ["week", "2026-01-12T00:00Z", "UTC", "2026-01-12T00:00Z", "2026-01-19T00:00Z"],
    ["week", "2026-01-18T23:59Z", "UTC", "2026-01-12T00:00Z", "2026-01-19T00:00Z"],
    ["month", "2026-01-15T12:00Z", "UTC", "2026-01-01T00:00Z", "2026-02-01T00:00Z"],
    ["month", "2026-12-31T23:59Z", "UTC", "2026-12-01T00:00Z", "2027-01-01T00:00Z"],
    // Already Friday the 16th in Tokyo, still Wednesday the 31st in Los Angeles.
    ["day", "2026-01-15T15:00Z", "Asia/Tokyo", "2026-01-15T15:00Z", "2026-01-16T15:00Z"],
    ["day", "2026-01-15T14:59Z", "Asia/Tokyo", "2026-01-14T15:00Z", "2026-01-15T15:00Z"],
    ["month", "2026-01-01T07:59Z", "America/Los_Angeles", "2025-12-01T08:00Z", "2026-01-01T08:00Z"],
    ["week", "2026-01-12T07:59Z", "America/Los_Angeles", "2026-01-05T08:00Z", "2026-01-12T08:00Z"],
    ["month", "2026-01-15T00:00Z", "Asia/Kathmandu", "2025-12-31T18:15Z", "2026-01-31T18:15Z"],
    // Berlin's clocks go forward on 29 March 2026 and back on 25 October.
    ["day", "2026-03-29T12:00Z", "Europe/Berlin", "2026-03-28T23:00Z", "2026-03-29T22:00Z"],
    ["week", "2026-03-29T12:00Z", "Europe/Berlin", "2026-03-22T23:00Z", "2026-03-29T22:00Z"],
    ["month", "2026-03-15T12:00Z", "Europe/Berlin", "2026-02-28T23:00Z", "2026-03-31T22:00Z"],
    ["day", "2026-10-25T12:00Z", "Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T23:00Z"],
    // Where clocks go forward at midnight, the day begins at one.
    ["day", "2024-09-08T12:00Z", "America/Santiago", "2024-09-08T04:00Z", "2024-09-09T03:00Z"],
    ["day", "2024-09-08T03:59Z", "America/Santiago", "2024-09-07T04:00Z", "2024-09-08T04:00Z"],
    ["day", "2024-04-26T12:00Z", "Africa/Cairo", "2024-04-25T22:00Z", "2024-04-26T21:00Z"],
    ["day", "2021-03-28T12:00Z", "Asia/Beirut", "2021-03-27T22:00Z", "2021-03-28T21:00Z"],
    // Where they go back at midnight, the day before has an extra hour.
    ["day", "2024-04-07T03:30Z", "America/Santiago", "2024-04-06T03:00Z", "2024-04-07T04:00Z"],
    // Goose Bay went back at one minute past midnight: the new day had begun, and continues.
    ["day", "2010-11-07T03:30Z", "America/Goose_Bay", "2010-11-07T03:00Z", "2010-11-08T04:00Z"],
    // Samoa skipped Friday, 30 December 2011; Kiritimati the last day of 1994.
    ["day", "2011-12-30T12:00Z", "Pacific/Apia", "2011-12-30T10:00Z", "2011-12-31T10:00Z"],
    ["week", "2011-12-30T12:00Z", "Pacific/Apia", "2011-12-26T10:00Z", "2012-01-01T10:00Z"],
    ["month", "1994-12-31T12:00Z", "Pacific/Kiritimati", "1994-12-31T10:00Z", "1995-01-31T10:00Z"],
  ])("%s at %s in %s runs from %s to %s", (period, now, zone, start, end) => {
    expect(span(period, now, zone)).toEqual([start, end]);
  });

  it("in total has neither start nor end", () => {
    expect(span("total", "2026-01-15T12:00Z", "UTC")).toEqual([undefined, undefined]);
  });

  it("matches the zone's own calendar across clock changes, and starts at a quarter of an hour", () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "Asia/Kolkata", "utc");
    const period = fc.constantFrom(...BUDGET_PERIODS.filter((known) => known !== "total"));
    const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2036, 0, 1) });
    fc.assert(
      fc.property(zone, period, moment, (timeZone, kind, now) => {
        const start = startOfPeriod(kind, now, timeZone) ?? Number.NaN;
        const end = endOfPeriod(kind, now, timeZone) ?? Number.NaN;
        const name = (at: number) => nameOf(kind, at, timeZone);
        expect(start).toBeLessThanOrEqual(now);
        expect(end).toBeGreaterThan(now);
        expect([name(start), name(end - 1)]).toEqual([name(now), name(now)]);
        expect(name(start - 1) < name(now)).toBe(true);
        expect(name(end) > name(now)).toBe(true);
        expect([start % 900_000, end % 900_000]).toEqual([0, 0]);
      }),
      { numRuns: 300 },
    );
  });

  it("is the same whichever of its moments is asked about first", () => {
    const zone = fc.constantFrom("Africa/Cairo", "America/Santiago", "Australia/Lord_Howe", "Europe/Berlin");
    const period = fc.constantFrom(...BUDGET_PERIODS);
    const moments = fc.array(fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2025, 0, 1) }));
    fc.assert(
      fc.property(zone, period, moments, (timeZone, kind, times) => {
        const ask = (now: number) => startOfPeriod(kind, now, timeZone);
        const forwards = times.map(ask);
        expect(times.toReversed().map(ask).toReversed()).toEqual(forwards);
      }),
    );
  });
});

/** The period as the zone's calendar names it, in a form that sorts. */
function nameOf(period: BudgetPeriod, at: number, timeZone: string): string {
  const date = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(at);
  if (period === "day") return date;
  if (period === "month") return date.slice(0, 7);
  const weekday = new Intl.DateTimeFormat("en", { timeZone, weekday: "short" }).format(at);
  const past = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(weekday);
  return new Date(Date.parse(date) - past * 86_400_000).toISOString().slice(0, 10);
}
