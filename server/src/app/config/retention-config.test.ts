import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";

const OWN = { DATABASE_URL: "postgres://db/x", TRUNKLINE_SECRET: "0123456789abcdef" };

describe("the retention of requests", () => {
  const retentionOf = (variables: Record<string, string>) => readConfig({ PORT: "0", ...variables }).requestRetention;

  it("is off unless days are set, and uses the data folder unless another one is", () => {
    expect(retentionOf({})).toBeUndefined();
    expect(retentionOf({ TRUNKLINE_ARCHIVE_DIR: "/archive" })).toBeUndefined();
    expect(retentionOf({ TRUNKLINE_REQUEST_DAYS: "90", TRUNKLINE_DATA_DIR: "/srv/data" })).toEqual({
      days: 90,
      folder: "/srv/data/archive",
    });
    expect(retentionOf({ ...OWN, TRUNKLINE_REQUEST_DAYS: "90", TRUNKLINE_ARCHIVE_DIR: "/archive" })).toEqual({
      days: 90,
      folder: "/archive",
    });
    expect(retentionOf({ TRUNKLINE_REQUEST_DAYS: "7", TRUNKLINE_ARCHIVE_DIR: "off" })).toEqual({
      days: 7,
      folder: undefined,
    });
  });

  it("refuses days that are no number or too few, and instances without a shared folder", () => {
    for (const days of ["0", "6", "ten", "-1", "10000"]) {
      expect(() => retentionOf({ TRUNKLINE_REQUEST_DAYS: days })).toThrow("must be a whole number of days, 7 to 9999");
    }
    expect(() => retentionOf({ ...OWN, TRUNKLINE_REQUEST_DAYS: "90" })).toThrow("a folder that all instances share");
  });
});
