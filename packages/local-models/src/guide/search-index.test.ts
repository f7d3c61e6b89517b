import { describe, expect, it } from "vitest";
import { stemOf, termsOf } from "./search-index.ts";

describe("termsOf", () => {
  it.each([
    ["routing", "routes"],
    ["streams", "streaming"],
    ["keys", "key"],
    ["retries", "retry"],
    ["stopped", "stops"],
    ["configure", "configuration"],
    ["authenticate", "authentication"],
    ["calling", "call"],
    ["boxes", "box"],
  ])("%s and %s are the same term", (one, other) => {
    expect(stemOf(one)).toBe(stemOf(other));
  });

  it.each([
    ["key", "keen"],
    ["status", "state"],
    ["rate", "ration"],
  ])("%s and %s are different terms", (one, other) => {
    expect(stemOf(one)).not.toBe(stemOf(other));
  });

  it("are topic words only", () => {
    expect(termsOf("How do I use it?")).toEqual([]);
  });

  it("include a compound and its parts", () => {
    expect(termsOf("`max_tokens` of /v1/generate")).toEqual([
      "max_tokens",
      "max",
      "token",
      "v1/generate",
      "v1",
      "gener",
    ]);
  });
});
