import { describe, expect, it } from "vitest";
import { parseRetryAfter, readRateLimit } from "./rate-limit.ts";

describe("rate limit headers", () => {
  const NOW = Date.UTC(2026, 0, 15, 12);

  describe("readRateLimit", () => {
    it.each([
      [{ ratelimit: '"default";r=50;t=30' }, { remaining: { calls: 50, seconds: 30 } }],
      [{ ratelimit: '"default";r=0;t=30' }, { pauseSeconds: 30 }],
      [{ "ratelimit-remaining": "7", "ratelimit-reset": "12" }, { remaining: { calls: 7, seconds: 12 } }],
      [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "12" }, { pauseSeconds: 12 }],
      [
        { "x-ratelimit-remaining": "3", "x-ratelimit-reset": String(NOW / 1_000 + 20) },
        { remaining: { calls: 3, seconds: 20 } },
      ],
      [
        { "x-ratelimit-remaining": "3", "x-ratelimit-reset": "999999999" },
        { remaining: { calls: 3, seconds: 86_400 } },
      ],
      [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW / 1_000 - 20) }, undefined],
      [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW + 9_000) }, { pauseSeconds: 9 }],
      [{ "x-ratelimit-remaining": "0" }, undefined],
      [{ "x-ratelimit-remaining": "-1", "x-ratelimit-reset": "5" }, undefined],
      [{ "ratelimit-remaining": "soon", "ratelimit-reset": "5" }, undefined],
      [{ ratelimit: `${"x".repeat(1_000)};r=1;t=1` }, undefined],
      [{}, undefined],
    ])("reads %j", (headers, state) => {
      expect(readRateLimit(headers, NOW)).toEqual(state);
    });
  });
});

describe("Retry-After", () => {
  const NOW = Date.parse("2026-03-01T12:00:00.400Z");

  describe("parseRetryAfter", () => {
    it.each([
      ["0", 0],
      ["17", 17],
      [" 17 ", 17],
      ["1.2", 2],
      ["99999999999999999999", 86_400],
      ["Sun, 01 Mar 2026 12:00:30 GMT", 30],
      ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
      ["Fri, 01 Mar 2126 12:00:00 GMT", 86_400],
    ])("reads %j as %d seconds", (header, seconds) => {
      expect(parseRetryAfter(header, NOW)).toBe(seconds);
    });

    it.each([undefined, "", "soon", "-5", "5s", "1e3", "2026-03-01T12:00:30Z", "Sun, 99 Foo"])(
      "reads nothing from %j",
      (header) => {
        expect(parseRetryAfter(header, NOW)).toBeUndefined();
      },
    );
  });
});
