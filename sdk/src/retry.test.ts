import { describe, expect, it } from "vitest";
import { retryDelayMs } from "./retry.ts";

describe("the wait before a retry", () => {
  it("doubles up to eight seconds, of which chance takes up to half", () => {
    expect([1, 2, 3, 9].map((retry) => retryDelayMs(retry, undefined, 1))).toEqual([500, 1_000, 2_000, 8_000]);
    expect([1, 2, 3, 9].map((retry) => retryDelayMs(retry, undefined, 0))).toEqual([250, 500, 1_000, 4_000]);
  });

  it("is never shorter than what the service asks for", () => {
    expect(retryDelayMs(1, 7, 0)).toBe(7_000);
    expect(retryDelayMs(1, 7, 1)).toBe(7_250);
    expect(retryDelayMs(1, -1, 0)).toBe(0);
  });
});
