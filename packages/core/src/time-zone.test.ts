import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTimeZone, startOfDay } from "./time-zone.ts";

describe("the first moment of a day", () => {
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
    // The clocks of Berlin go forward on 29 March 2026 and back on 25 October.
    ["2026-03-29", "Europe/Berlin", 0, "2026-03-28T23:00:00.000Z"],
    ["2026-03-29", "Europe/Berlin", 1, "2026-03-29T22:00:00.000Z"],
    ["2026-10-25", "Europe/Berlin", 0, "2026-10-24T22:00:00.000Z"],
    ["2026-10-25", "Europe/Berlin", 1, "2026-10-25T23:00:00.000Z"],
    // New York, the day after it went forward.
    ["2026-03-08", "America/New_York", 0, "2026-03-08T05:00:00.000Z"],
    ["2026-03-08", "America/New_York", 1, "2026-03-09T04:00:00.000Z"],
    // Lord Howe Island moves its clocks by half an hour.
    ["2026-04-05", "Australia/Lord_Howe", 0, "2026-04-04T13:00:00.000Z"],
    ["2026-04-05", "Australia/Lord_Howe", 1, "2026-04-05T13:30:00.000Z"],
  ])("%s in %s, %d days on, is %s", (date, zone, days, moment) => {
    expect(startOfDay(date, zone, days).toISOString()).toBe(moment);
  });

  it.each([
    // Where the clocks go forward at midnight there is no midnight: the day begins at one.
    ["2024-04-26", "Africa/Cairo", "2024-04-25T22:00:00.000Z"],
    ["2024-09-08", "America/Santiago", "2024-09-08T04:00:00.000Z"],
    ["2024-03-10", "America/Havana", "2024-03-10T05:00:00.000Z"],
    ["2024-03-31", "Asia/Beirut", "2024-03-30T22:00:00.000Z"],
    // Where they go back at or just after midnight there are two: the day begins at the first.
    ["2024-11-03", "America/Havana", "2024-11-03T04:00:00.000Z"],
    ["2024-04-07", "America/Santiago", "2024-04-07T04:00:00.000Z"],
  ])("%s in %s is %s, although the clocks move at midnight", (date, zone, moment) => {
    expect(startOfDay(date, zone, 0).toISOString()).toBe(moment);
  });

  it("belongs to that day, and the moment before it to the one before, in every zone", () => {
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
      { numRuns: 400 },
    );
  });
});

describe("the name of a zone", () => {
  it.each(["UTC", "utc", "GMT", "Europe/Berlin", "europe/berlin", "Asia/Kolkata", "Etc/GMT+5", "US/Pacific"])(
    "can be %s",
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it("can be any that the runtime lists", () => {
    expect(Intl.supportedValuesOf("timeZone").filter((name) => !isTimeZone(name))).toEqual([]);
  });

  it.each([
    "",
    "Nowhere/City",
    "Berlin",
    "IST",
    "+05:30",
    "UTC+1",
    "Europe/Berlin ",
    "Europe/Berlin'",
    "a/\n",
  ])("can't be %j", (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
