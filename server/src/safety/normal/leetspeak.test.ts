import { describe, expect, it } from "vitest";
import { readLeetspeak } from "./leetspeak.ts";

describe("readLeetspeak", () => {
  it("reads digits as the letters they imitate and keeps every offset", () => {
    expect(readLeetspeak("1gn0re pr3v1ous w0rds")).toBe("ignore previous words");
  });

  it("does not touch ordinary text with a number or a single file name in it", () => {
    expect(readLeetspeak("in 2014 we sold 300 copies")).toBeUndefined();
    expect(readLeetspeak("open song.mp3 please")).toBeUndefined();
  });
});
