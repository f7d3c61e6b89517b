import { describe, expect, it } from "vitest";
import {
  areWithinDataRules,
  brokenDataRule,
  type DataRules,
  joinDataRules,
  parseStoredDataClaim,
  parseStoredDataRules,
  toStoredDataClaim,
} from "./data-rules.ts";

const rules = (regions: readonly string[] | undefined, retentionDays?: number): DataRules => ({
  regions,
  retentionDays,
});

describe("data rules", () => {
  it.each([
    ["eu", ["eu"], true],
    ["eu", ["de"], true],
    ["eu", ["de", "us"], false],
    ["eu", ["no"], false],
    ["eea", ["no", "eu", "fr"], true],
    ["eea", ["ch"], false],
    ["de", ["eu"], false],
    ["us", ["us"], true],
  ])("for %s are kept by a model in %s: %s", (region, regions, isKept) => {
    const broken = brokenDataRule(rules([region]), { regions, retentionDays: undefined });
    expect(broken === undefined).toBe(isKept);
  });

  it("are not kept by a model that claims nothing, and say what is missing", () => {
    expect(brokenDataRule(rules(["eu"]), undefined)).toBe(
      "it does not say where it processes data, and only eu is allowed",
    );
    expect(brokenDataRule(rules(undefined, 0), { regions: ["de"], retentionDays: undefined })).toBe(
      "it does not say how long it keeps data, and none is allowed",
    );
    expect(brokenDataRule(rules(undefined, 7), { regions: undefined, retentionDays: 30 })).toBe(
      "it keeps data for 30 days, and at most 7 days are allowed",
    );
    expect(brokenDataRule(rules(["de", "fr"]), { regions: ["us"], retentionDays: 0 })).toBe(
      "it processes data in us, and only de, fr are allowed",
    );
    expect(brokenDataRule(rules(undefined, 30), { regions: undefined, retentionDays: 30 })).toBeUndefined();
  });

  it("of several are never looser than each of them", () => {
    expect(joinDataRules(undefined, undefined)).toBeUndefined();
    expect(joinDataRules(rules(["eu"]), undefined)).toEqual(rules(["eu"]));
    expect(joinDataRules(rules(["eu"], 30), rules(["de", "us"], 0))).toEqual(rules(["de"], 0));
    expect(joinDataRules(rules(["de"]), rules(["eu", "eea"], 7))).toEqual(rules(["de"], 7));
    const nothing = joinDataRules(rules(["eu"]), rules(["us"]));
    expect(nothing).toEqual(rules([]));
    expect(brokenDataRule(nothing ?? rules(undefined), { regions: ["us"], retentionDays: 0 })).toContain(
      "no place that the account, the key and the request have in common",
    );
  });

  it("lie within others where they allow no more", () => {
    expect(areWithinDataRules(undefined, undefined)).toBe(true);
    expect(areWithinDataRules(undefined, rules(["eu"]))).toBe(false);
    expect(areWithinDataRules(rules(["de", "fr"], 0), rules(["eu"], 0))).toBe(true);
    expect(areWithinDataRules(rules(["de", "us"]), rules(["eu"]))).toBe(false);
    expect(areWithinDataRules(rules(["de"]), rules(undefined, 0))).toBe(false);
  });

  it("that a newer version wrote forbid everything, and claims count for nothing", () => {
    expect(parseStoredDataRules({ regions: ["mars"] })).toEqual(rules([], 0));
    expect(parseStoredDataRules(null)).toBeUndefined();
    expect(parseStoredDataClaim({ regions: ["mars"] })).toBeUndefined();
    const claim = { regions: ["de"], retentionDays: 0, source: "https://example.com/", isDocumented: true };
    expect(parseStoredDataClaim(toStoredDataClaim(claim))).toEqual(claim);
  });
});
