import { describe, expect, it } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

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
