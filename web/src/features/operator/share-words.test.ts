import { describe, expect, it } from "vitest";
import { shareWords } from "./share-words.ts";

describe("a model's share of the traffic", () => {
  it("is described in words, and only if unusual", () => {
    expect(shareWords({ weight: 1, canary_share: 1 })).toBe("Normal");
    expect(shareWords({ weight: 0, canary_share: 1 })).toBe("backup only");
    expect(shareWords({ weight: 3, canary_share: 1 })).toBe("3× share");
    expect(shareWords({ weight: 1, canary_share: 0.05 })).toBe("in 5% of automatic requests");
    expect(shareWords({ weight: 2, canary_share: 0 })).toBe("2× share, no automatic requests");
  });
});
