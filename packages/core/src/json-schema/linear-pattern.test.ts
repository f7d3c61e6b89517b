import { describe, expect, it } from "vitest";
import { compilePattern, expandedSize, InvalidPattern } from "./linear-pattern.ts";

describe("compilePattern", () => {
  it.each([
    ["^\\d{3}-\\d{4}$", "555-1234", true],
    ["caf\\u00e9", "a café", true],
    ["(?<year>\\d{4})", "in 2026", true],
    ["^a.c$", "abd", false],
    ["", "", true],
  ])("looks for %s in %s", (pattern, text, found) => {
    expect(compilePattern(pattern).matches(text)).toBe(found);
  });

  it.each(["(a+)+$", "^(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "matches %s in linear time, where backtracking would not end",
    (pattern) => {
      expect(compilePattern(pattern).matches(`${"a".repeat(30_000)}!`)).toBe(false);
    },
  );

  it.each([
    ["[", "missing closing"],
    ["(?=a)b", "unsupported"],
    ["(a)\\1", "invalid escape"],
    ["a".repeat(513), "at most 512 characters"],
    ["a{600}b{600}", "repeats too much"],
    ["((a{20}){20}){20}", "repeats too much"],
    ["\\p{L}{60}", "repeats too much"],
    ["[\\p{L}x]{60}", "repeats too much"],
    ["(a{900}", "can't be read"],
  ])("refuses patterns that need more than linear time or are too large: %s", (pattern, why) => {
    expect(() => compilePattern(pattern)).toThrow(InvalidPattern);
    expect(() => compilePattern(pattern)).toThrow(why);
  });

  it("measures nested repetitions", () => {
    expect(expandedSize("abc")).toBe(3);
    expect(expandedSize("a{10}")).toBe(10);
    expect(expandedSize("(ab){2,5}c")).toBe(16);
    expect(expandedSize("[]a{9}]{3}")).toBe(3);
    expect(expandedSize("\\{4}")).toBe(3);
    expect(expandedSize("a{x}")).toBe(4);
  });

  it("measures Unicode classes, and more where case is ignored", () => {
    expect(expandedSize("[\\p{L}\\P{N}_]")).toBe(40);
    expect(expandedSize("[\\u0000-\\uffff]")).toBe(1);
    expect(expandedSize("(?i)[a-z]")).toBeLessThan(10);
    expect(expandedSize("(?i)[\\u0000-\\uffff]")).toBeGreaterThan(200);
    expect(() => compilePattern(`(?i)[${"\\u0000-\\uffff".repeat(35)}]`)).toThrow("repeats too much");
  });
});
