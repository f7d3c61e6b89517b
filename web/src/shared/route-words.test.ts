import { describe, expect, it } from "vitest";
import {
  difficultyWords,
  domainWords,
  exploredWords,
  marginWords,
  otherDomains,
  qualityWords,
  timeParts,
} from "./route-words.ts";

describe("what a request was taken for", () => {
  it("comes with its confidence", () => {
    expect(domainWords({ domain: "maths", confidence: 0.92 })).toBe("Maths (92%)");
    expect(domainWords({ domain: "small talk", confidence: 0.64 })).toBe("Small talk (64%)");
    expect(domainWords({ domain: "unknown", confidence: 0 })).toBe("Topic not recognised");
  });

  it("names the other domains that count", () => {
    const shares = [
      { domain: "law", share: 0.7 },
      { domain: "history", share: 0.2 },
      { domain: "society", share: 0.01 },
    ];
    expect(otherDomains({ domain: "law", shares })).toBe("history 20%");
    expect(otherDomains({ domain: "law", shares: shares.slice(0, 1) })).toBeUndefined();
  });

  it("is called easy or hard", () => {
    expect([0, 0.3, 0.5, 0.7, 1].map(difficultyWords)).toEqual(["Very easy", "Easy", "Medium", "Hard", "Very hard"]);
  });
});

describe("by how much the first was ahead", () => {
  it("is in the unit that the strategy compares", () => {
    expect(marginWords({ measure: "credits", runner_up: "b", margin: 0.002 })).toBe("$0.002 cheaper than b");
    expect(marginWords({ measure: "ms", runner_up: "b", margin: 120 })).toBe("120 ms faster than b");
    expect(marginWords({ measure: "quality", runner_up: "b", margin: 0.031 })).toBe("0.03 better than b");
    expect(marginWords({ measure: "worth", runner_up: "b", margin: 0.004 })).toBe("$0.004 better value than b");
  });

  it("is shown when it was behind, level, or alone", () => {
    expect(marginWords({ measure: "ms", runner_up: "b", margin: -5 })).toMatch(/^5 ms slower than b, but preferred/);
    expect(marginWords({ measure: "ms", runner_up: "b", margin: 0 })).toBe("Same as b");
    expect(marginWords({ measure: "ms", runner_up: null, margin: null })).toBeUndefined();
    expect(marginWords({})).toBeUndefined();
  });
});

describe("what a choice stood on", () => {
  it("is a quality with its bound and its evidence", () => {
    expect(qualityWords({ predicted_quality: 0.72, lower_quality: 0.61, evidence: 140.2 })).toBe(
      "0.72, at least 0.61 (140 results)",
    );
    expect(qualityWords({ predicted_quality: 0.72, lower_quality: 0.7, evidence: 0 })).toBe(
      "0.72, at least 0.70 (provider's claim)",
    );
    expect(qualityWords({ predicted_quality: 0.5, lower_quality: 0.4, evidence: 0.3 })).toMatch(/ \(1 result\)$/);
    expect(qualityWords({ predicted_quality: 0.72 })).toBe("0.72");
  });

  it("is a time with its parts", () => {
    const figures = {
      queue_ms: 20,
      first_token_ms: 300,
      tokens_per_second: 50.4,
      expected_output_tokens: 200,
    };
    expect(timeParts(figures)).toEqual(["Queue 20 ms", "Time to first token 300 ms", "200 tokens at 50/s"]);
    expect(timeParts({ queue_ms: 0, first_token_ms: 300, tokens_per_second: null })).toEqual([
      "Time to first token 300 ms",
      "Not streamed",
    ]);
    expect(timeParts({})).toEqual([]);
  });

  it("may be an exploration, with its probability", () => {
    expect(exploredWords({ instead_of: "acme/b", propensity: 0.04 }, "acme/a")).toBe(
      "acme/a was used instead of acme/b, which is about as good, to learn how well it does (chance: 4%).",
    );
  });
});
