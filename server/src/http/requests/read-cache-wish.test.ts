import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { readCacheHeader, readCacheOptions } from "./read-cache-wish.ts";

describe("what a body asks of the cache", () => {
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

describe("what the header asks of the cache", () => {
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
