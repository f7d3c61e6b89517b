import { describe, expect, it } from "vitest";
import { rateLimitsIn, readDuration } from "./format.ts";

describe("readDuration", () => {
  it.each([
    ["1s", 1],
    ["6m0s", 360],
    ["120ms", 0.12],
    ["1h2m3.5s", 3723.5],
    ["1d", 86_400],
    [" 7.66s ", 7.66],
    ["59", 59],
    ["0.5", 0.5],
    ["0", 0],
  ])("reads %j as %d seconds", (text, seconds) => {
    expect(readDuration(text)).toBeCloseTo(seconds, 9);
  });

  it.each([undefined, "", "soon", "-1s", "1s later", "s", "1e3s", "1w", "9999999999999s"])(
    "reads nothing from %j",
    (text) => {
      expect(readDuration(text)).toBeUndefined();
    },
  );
});

const NOW = Date.UTC(2026, 0, 15, 12);
const limitsOf = (headers: Record<string, string>) => rateLimitsIn(headers, NOW);

describe("rateLimitsIn", () => {
  it("pauses until limits that are used up reset, and for the longer time where both are", () => {
    const requests = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms" };
    const tokens = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m26.4s" };
    expect(limitsOf(requests)).toEqual({ pauseSeconds: 1 });
    expect(limitsOf({ ...requests, ...tokens })).toEqual({ pauseSeconds: 87 });
    expect(limitsOf({ ...tokens, "x-ratelimit-reset-tokens": "400d" })).toEqual({ pauseSeconds: 86_400 });
  });

  it("says how many calls are left, and until when", () => {
    expect(limitsOf({ "x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "1s" })).toEqual({
      remaining: { calls: 59, seconds: 1 },
    });
  });

  it("does not pause where no reset time is given", () => {
    expect(limitsOf({})).toBeUndefined();
    expect(limitsOf({ "x-ratelimit-remaining-requests": "0" })).toBeUndefined();
    expect(limitsOf({ "x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "0" })).toBeUndefined();
    expect(limitsOf({ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "0s" })).toBeUndefined();
  });
});
