import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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

describe("what accounts may choose", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "trunkline-config-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function boundsOf(yaml: string, variables: Record<string, string> = {}) {
    const file = join(folder, "trunkline.yaml");
    writeFileSync(file, yaml);
    return readConfig({ PORT: "0", TRUNKLINE_CONFIG: file, ...variables }).retention;
  }

  it("is anything that the service keeps, but for the audit log's least", () => {
    const free = { days: undefined, minDays: 1, maxDays: undefined };
    expect(boundsOf("")).toEqual({
      contents: free,
      details: free,
      responses: { ...free, maxDays: 30 },
      audit_log: { ...free, minDays: 90 },
    });
  });

  it("follows the file, and never goes beyond the variables", () => {
    const yaml = `retention:
  contents: { days: 14, max_days: 60 }
  details: { min_days: 10, max_days: 400 }
  audit_log: { min_days: 365 }`;
    const bounds = boundsOf(yaml, { TRUNKLINE_REQUEST_DAYS: "90", TRUNKLINE_STORED_RESPONSE_DAYS: "0" });
    expect(bounds).toEqual({
      contents: { days: 14, minDays: 1, maxDays: 60 },
      details: { days: undefined, minDays: 10, maxDays: 90 },
      responses: { days: undefined, minDays: 1, maxDays: 0 },
      audit_log: { days: undefined, minDays: 365, maxDays: undefined },
    });
  });

  it.each([
    ["contents: { min_days: 9, max_days: 8 }", "must not have min_days above max_days"],
    ["contents: { days: 9, max_days: 8 }", "must have days between min_days and max_days"],
    ["audit_log: { days: 30 }", "must have days between min_days and max_days"],
    ["details: { days: 0 }", "at least 1"],
    ["requests: { days: 9 }", "is not a known field"],
  ])("refuses %s", (line, message) => {
    expect(() => boundsOf(`retention:\n  ${line}`)).toThrow(message);
  });
});
