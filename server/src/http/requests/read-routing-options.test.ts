import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { readCacheHeader, readCacheOptions, readRoutingOptions } from "./read-routing-options.ts";

describe("cache options", () => {
  describe("in a body", () => {
    it.each([
      [{ ttl: 1 }, { ttlSeconds: 1, similarity: undefined }],
      [
        { ttl: 604_800, similarity: 0.8 },
        { ttlSeconds: 604_800, similarity: 0.8 },
      ],
      [
        { ttl: 60, similarity: true },
        { ttlSeconds: 60, similarity: 0.95 },
      ],
      [
        { ttl: 60, similarity: false },
        { ttlSeconds: 60, similarity: undefined },
      ],
      [
        { ttl: 60, similarity: null },
        { ttlSeconds: 60, similarity: undefined },
      ],
      [false, false],
    ])("%j", (value, wish) => {
      expect(readCacheOptions(value)).toEqual(wish);
    });

    it.each([
      [true, "cache"],
      [60, "cache"],
      ["60", "cache"],
      [{}, "cache.ttl"],
      [{ ttl: 0 }, "cache.ttl"],
      [{ ttl: 1.5 }, "cache.ttl"],
      [{ ttl: 604_801 }, "cache.ttl"],
      [{ ttl: "60" }, "cache.ttl"],
      [{ ttl: 60, similarity: 0.79 }, "cache.similarity"],
      [{ ttl: 60, similarity: 1.01 }, "cache.similarity"],
      [{ ttl: 60, similarity: "high" }, "cache.similarity"],
    ])("can't be %j", (value, param) => {
      expect(faultOf(() => readCacheOptions(value)).details.param).toBe(param);
    });
  });

  describe("in the header", () => {
    it.each([
      ["ttl=300", { ttlSeconds: 300, similarity: undefined }],
      ["ttl=300, similarity=0.95", { ttlSeconds: 300, similarity: 0.95 }],
      ["similarity=true;ttl=5", { ttlSeconds: 5, similarity: 0.95 }],
      ["off", false],
      [" Off ", false],
    ])("%s", (header, wish) => {
      expect(readCacheHeader(header)).toEqual(wish);
    });

    it.each([
      "",
      "300",
      "ttl",
      "ttl=",
      "ttl=soon",
      "ttl=0",
      "ttl=5, ttl=6",
      "similarity=0.9",
      "ttl=5, age=3",
      "ttl=1e3",
    ])("can't be %j", (header) => {
      expect(faultOf(() => readCacheHeader(header)).details.param).toMatch(/^x-trunkline-cache/);
    });
  });
});

describe("routing options", () => {
  const read = (check: unknown, route: unknown = "cascade") => readRoutingOptions({ route, check });

  describe("a cascade", () => {
    it("is read with its check, and starts at the cheapest model", () => {
      const schema = { type: "object" };
      expect(read({ json_schema: schema, regex: "^a", min_length: 3, non_empty: true })).toMatchObject({
        strategy: "cost-optimized",
        cascade: { schema, pattern: "^a", minLength: 3 },
      });
    });

    it("needs no check of its own, as an empty answer fails in any case", () => {
      for (const check of [undefined, null, {}, { non_empty: false }]) expect(read(check).cascade).toEqual({});
      expect(readRoutingOptions({ route: "cost" }).cascade).toBeUndefined();
    });

    it.each<[unknown, string]>([
      ["json", "check"],
      [{ json: {} }, "check.json"],
      [{ json_schema: "{}" }, "check.json_schema"],
      [{ json_schema: [] }, "check.json_schema"],
      [{ json_schema: { type: "text" } }, "check.json_schema"],
      [{ json_schema: { $ref: "https://example.test/a.json" } }, "check.json_schema"],
      [{ json_schema: { description: "a".repeat(65_536) } }, "check.json_schema"],
      [{ json_schema: { pattern: "(a+)+(?=b)" } }, "check.json_schema"],
      [{ regex: "" }, "check.regex"],
      [{ regex: "[" }, "check.regex"],
      [{ regex: "(?<=a)b" }, "check.regex"],
      [{ regex: 1 }, "check.regex"],
      [{ min_length: 0 }, "check.min_length"],
      [{ min_length: 1_000_001 }, "check.min_length"],
      [{ min_length: 1.5 }, "check.min_length"],
      [{ non_empty: "yes" }, "check.non_empty"],
    ])("is refused by the first field that is wrong: %j", (check, param) => {
      expect(faultOf(() => read(check))).toMatchObject({ type: "invalid_request", details: { param } });
    });

    it("is the only route that takes a check", () => {
      for (const route of [undefined, "auto", "cost", "hybrid"])
        expect(faultOf(() => readRoutingOptions({ route, check: { min_length: 1 } }))).toMatchObject({
          details: { param: "check" },
        });
    });

    it("is refused where the answer is not text", () => {
      expect(faultOf(() => readRoutingOptions({ route: "cascade" }, false))).toMatchObject({
        details: { param: "route" },
      });
    });
  });
});
