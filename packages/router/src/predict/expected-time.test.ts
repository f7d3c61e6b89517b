import { sampleHealth, sampleModel, sampleQuote } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { expectedTime } from "./expected-time.ts";

const quote = sampleQuote(1n);
const lasting = (usualOutputTokens: number) => ({ ...quote, usualOutputTokens });
const streaming = { latencyMs: 3_000, firstPartMs: 400, tokensPerSecond: 100 };

describe("expectedTime", () => {
  it("is the provider's claim while nothing is measured", () => {
    const model = sampleModel("a/x", { avgLatencyMs: 700 });
    expect(expectedTime(model, sampleHealth(), quote).wholeMs).toBeCloseTo(700);
  });

  it("has a default for a model without a claim", () => {
    const model = sampleModel("a/x", { avgLatencyMs: undefined });
    expect(expectedTime(model, sampleHealth(), quote).wholeMs).toBeGreaterThan(0);
  });

  it("follows the measured calls more, the more there are", () => {
    const model = sampleModel("a/x", { avgLatencyMs: 100 });
    const after = (calls: number) => expectedTime(model, sampleHealth({ calls, latencyMs: 900 }), quote).wholeMs;
    expect(after(1)).toBeGreaterThan(100);
    expect(after(10)).toBeGreaterThan(after(1));
    expect(after(1_000)).toBeGreaterThan(890);
    expect(after(1_000)).toBeLessThan(900);
  });

  it("is the first token, then the usual number of tokens at the measured speed", () => {
    const model = sampleModel("a/x", { avgLatencyMs: 2_000 });
    const after = (tokens: number) => expectedTime(model, sampleHealth({ calls: 1e9, ...streaming }), lasting(tokens));
    expect(after(100).wholeMs).toBeCloseTo(400 + 1_000, 3);
    expect(after(1_000).wholeMs).toBeCloseTo(400 + 10_000, 3);
    expect(after(1_000).firstTokenMs).toBeCloseTo(400, 3);
    expect(after(1_000).tokensPerSecond).toBeCloseTo(100, 3);
  });

  it("scales a claim with the length of the answer, so that an endpoint without calls has no advantage", () => {
    const model = sampleModel("a/x", { avgLatencyMs: 1_000 });
    const claimed = (tokens: number) => expectedTime(model, sampleHealth(), lasting(tokens)).wholeMs;
    expect(claimed(2_560)).toBeGreaterThan(8_000);
    expect(claimed(16)).toBeLessThan(300);
  });

  it("is the time of the whole answer where answers come in one piece", () => {
    const health = sampleHealth({ calls: 1e9, latencyMs: 900, firstPartMs: 899, tokensPerSecond: 9_000 });
    const expected = expectedTime(sampleModel("a/x"), health, quote);
    expect(expected.wholeMs).toBeCloseTo(900, 3);
    expect(expected.tokensPerSecond).toBeUndefined();
  });

  it("is the claim for an image, which has no tokens", () => {
    const model = sampleModel("a/x", { type: "image", avgLatencyMs: 8_000 });
    expect(expectedTime(model, sampleHealth(), lasting(0))).toMatchObject({
      wholeMs: 8_000,
      firstTokenMs: 8_000,
      tokensPerSecond: undefined,
    });
  });

  it("grows with the calls in flight", () => {
    const model = sampleModel("a/x");
    const busy = (inFlight: number) =>
      expectedTime(model, sampleHealth({ calls: 1e9, ...streaming, inFlight }), lasting(100));
    expect(busy(0).queueMs).toBe(0);
    expect(busy(50).queueMs).toBeCloseTo(400, 3);
    expect(busy(50).wholeMs).toBeCloseTo(busy(0).wholeMs + 400, 3);
  });
});
