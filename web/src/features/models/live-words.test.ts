import { describe, expect, it } from "vitest";
import { liveWords } from "./live-words.ts";

const live = { available: true, state: "up", calls: 100, error_rate: 0 } as const;

describe("how a model is doing now", () => {
  it("has a word for every state", () => {
    expect(liveWords(live).word).toBe("Available");
    expect(liveWords({ ...live, available: false }).word).toBe("Unavailable");
    expect(liveWords({ ...live, available: false, state: "out of service" })).toEqual({
      word: "Out of service",
      tone: "danger",
    });
    expect(liveWords({ ...live, state: "coming back" }).tone).toBe("info");
  });

  it("is not green where many calls fail", () => {
    expect(liveWords({ ...live, error_rate: 0.48 })).toEqual({ word: "Degraded: 48% errors", tone: "warning" });
    expect(liveWords({ ...live, error_rate: 0.5 }).tone).toBe("danger");
    expect(liveWords({ ...live, error_rate: 0.04 }).tone).toBe("positive");
    expect(liveWords({ ...live, error_rate: 1, calls: 1 }).tone).toBe("positive");
  });
});
