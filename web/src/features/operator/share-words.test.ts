import { describe, expect, it } from "vitest";
import { shareWords } from "./share-words.ts";

describe("a model's share of the traffic", () => {
  it("is described in words, and only if unusual", () => {
    expect(shareWords({ weight: 1, canary_share: 1 })).toBe("as any other");
    expect(shareWords({ weight: 0, canary_share: 1 })).toBe("only as a backup");
    expect(shareWords({ weight: 3, canary_share: 1 })).toBe("3 times its part");
    expect(shareWords({ weight: 1, canary_share: 0.05 })).toBe("in 5% of automatic requests");
    expect(shareWords({ weight: 2, canary_share: 0 })).toBe("2 times its part, no automatic requests");
  });
});
