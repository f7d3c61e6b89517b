import { afterEach, describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCompact,
  formatDateTime,
  formatDay,
  formatExact,
  formatExactMoney,
  formatMoney,
  formatMonth,
  formatMs,
  formatNumber,
  formatPercent,
  formatRelative,
  setCurrency,
} from "./format.ts";
import { setLocale } from "./locale.ts";

describe("money", () => {
  afterEach(() => {
    setCurrency("USD", 1);
    setLocale("en", "en-US");
  });

  it.each([
    [0, "$0.00"],
    [-0, "$0.00"],
    [1, "$1.00"],
    [1234.5, "$1,234.50"],
    [999.87159425, "$999.87"],
    [0.5, "$0.50"],
    [0.123456, "$0.1235"],
    [0.0000028, "$0.0000028"],
    [0.000012345678, "$0.00001235"],
    [0.000000001, "$0.000000001"],
    [-3.2, "-$3.20"],
  ])("has cents, or four significant digits where it is small: %d", (amount, text) => {
    expect(formatMoney(amount)).toBe(text);
  });

  it("is exact where that is asked for", () => {
    expect(formatExactMoney(999.871594251)).toBe("$999.871594251");
    expect(formatExactMoney(0.1 + 0.2)).toBe("$0.30");
    expect(formatExactMoney(0.000000001)).toBe("$0.000000001");
  });

  it("is in the currency and the manner that were chosen", () => {
    setCurrency("EUR", 0.9);
    expect(formatMoney(10)).toBe("€9.00");
    setLocale("de", "de-DE");
    expect(formatMoney(1234.5)).toBe("1.111,05\u00a0€");
  });
});

describe("numbers", () => {
  it("set thousands apart", () => {
    expect(formatNumber(1234567)).toBe("1,234,567");
  });

  it.each([
    [999, "999"],
    [1000, "1k"],
    [1234, "1.23k"],
    [12_345, "12.3k"],
    [999_950, "999k"],
    [1_100_000, "1.1M"],
    [-2_500_000_000, "-2.5B"],
  ])("are written short without being made larger: %d", (value, text) => {
    expect(formatCompact(value)).toBe(text);
  });

  it("never call a little nothing or most of it all", () => {
    expect([0, 0.0001, 0.125, 0.9999, 1].map(formatPercent)).toEqual(["0%", "<0.1%", "12.5%", ">99.9%", "100%"]);
  });

  it("write sizes", () => {
    expect([512, 1_500, 2_340_000].map(formatBytes)).toEqual(["512 B", "1.5 kB", "2.3 MB"]);
  });
});

describe("durations", () => {
  it.each([
    [0, "0 ms"],
    [0.4, "<1 ms"],
    [340.4, "340 ms"],
    [999.9, "1 s"],
    [1_240, "1.24 s"],
    [12_340, "12.3 s"],
    [59_990, "1 min"],
    [125_000, "2 min 5 s"],
    [7_260_000, "2 h 1 min"],
  ])("have the unit that suits them: %d", (ms, text) => {
    expect(formatMs(ms)).toBe(text);
  });
});

describe("dates", () => {
  const at = "2026-03-03T23:30:05Z";

  it("are those of the zone they are asked for", () => {
    expect(formatDay(at, "UTC")).toBe("Mar 3, 2026");
    expect(formatDay(at, "Asia/Tokyo")).toBe("Mar 4, 2026");
    expect(formatDateTime(at, "Asia/Tokyo")).toBe("Mar 4, 2026, 08:30");
    expect(formatMonth(at, "UTC")).toBe("March 2026");
    expect(formatExact(at, "UTC")).toBe("Mar 3, 2026, 23:30:05 UTC");
  });

  it("write midnight as 00", () => {
    expect(formatDateTime("2026-03-03T00:00:00Z", "UTC")).toBe("Mar 3, 2026, 00:00");
  });

  it.each([
    ["2026-03-03T23:30:00Z", "now"],
    ["2026-03-03T23:29:20Z", "1 minute ago"],
    ["2026-03-03T23:25:05Z", "5 minutes ago"],
    ["2026-03-02T23:00:00Z", "yesterday"],
    ["2026-03-05T23:30:05Z", "in 2 days"],
    ["2024-01-01T00:00:00Z", "2 years ago"],
  ])("say how far away they are: %s", (moment, text) => {
    expect(formatRelative(moment, at)).toBe(text);
  });

  it("refuse what is none", () => {
    expect(() => formatDay("soon")).toThrow(RangeError);
  });
});
