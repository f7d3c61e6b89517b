import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashOfKey, hintOfKey, isPlausibleKey, newKeySecret } from "./key-format.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("a new key", () => {
  it("is tl_ and 38 characters of base 62, and plausible", () => {
    for (let i = 0; i < 500; i++) {
      const key = newKeySecret();
      expect(key).toMatch(/^tl_[0-9A-Za-z]{38}$/);
      expect(isPlausibleKey(key)).toBe(true);
    }
  });

  it("is never made twice", () => {
    const keys = Array.from({ length: 2_000 }, () => newKeySecret());
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("uses every character of the alphabet about equally often", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 1_000; i++) {
      for (const letter of newKeySecret().slice(3, 35)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    // 516 of each are expected; 350 is more than seven deviations away.
    for (const letter of BASE62) expect(counts.get(letter) ?? 0, letter).toBeGreaterThan(350);
  });
});

describe("a mistyped key", () => {
  const place = fc.integer({ min: 3, max: 40 });

  it("is implausible when any one character is another", () => {
    const key = newKeySecret();
    fc.assert(
      fc.property(place, fc.constantFrom(...BASE62), (at, letter) => {
        fc.pre(key[at] !== letter);
        expect(isPlausibleKey(key.slice(0, at) + letter + key.slice(at + 1))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("is implausible when two neighbouring characters changed places", () => {
    const key = newKeySecret();
    for (let at = 3; at < 34; at++) {
      if (key[at] === key[at + 1]) continue;
      const swapped = `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
      expect(isPlausibleKey(swapped), `at ${at}`).toBe(false);
    }
  });
});

describe("a key of another form", () => {
  it.each([
    "operator-key-of-the-tests",
    "A".repeat(16),
    "_".repeat(128),
    `tl_${"a".repeat(37)}`,
    `TL_${"a".repeat(38)}`,
  ])("is plausible where the operator may have chosen it: %s", (key) => {
    expect(isPlausibleKey(key)).toBe(true);
  });

  it.each([
    "",
    "short",
    "A".repeat(15),
    "A".repeat(129),
    "spaces are not allowed",
    "schlüssel-mit-umlaut",
    "a'b--------------",
    "a\u0000aaaaaaaaaaaaaaa",
  ])("is implausible where nobody can have: %j", (key) => {
    expect(isPlausibleKey(key)).toBe(false);
  });
});

describe("what is kept of a key", () => {
  it("is its SHA-256 in hex", () => {
    expect(hashOfKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("shows by its hint only the ends of a key of ours", () => {
    const key = newKeySecret();
    expect(hintOfKey(key)).toBe(`${key.slice(0, 6)}…${key.slice(-4)}`);
  });

  it("leaves most of even the shortest key unsaid", () => {
    const shown = hintOfKey("0123456789abcdef").replace("…", "").length;
    expect(shown).toBeLessThanOrEqual(8);
  });
});
