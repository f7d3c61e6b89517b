import { describe, expect, it } from "vitest";
import { liveWords } from "./live-words.ts";

describe("how a model is doing now", () => {
  it("has a word for every state", () => {
    expect(liveWords({ available: true, state: "up" }).word).toBe("Available");
    expect(liveWords({ available: false, state: "up" }).word).toBe("Not available");
    expect(liveWords({ available: false, state: "out of service" })).toEqual({
      word: "Out of service",
      tone: "danger",
    });
    expect(liveWords({ available: true, state: "coming back" }).tone).toBe("info");
  });
});
