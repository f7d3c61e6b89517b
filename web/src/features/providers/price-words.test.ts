import { describe, expect, it } from "vitest";
import { NO_PRICES } from "./model-draft.ts";
import { sampleCost } from "./price-words.ts";

describe("what a thousand requests cost", () => {
  it("is by the token where tokens are paid", () => {
    const prices = { ...NO_PRICES, input_per_1k_tokens: 0.1, output_per_1k_tokens: 0.2, per_request: 0.001 };
    expect(sampleCost("text", prices)).toEqual({
      words: "1,000 requests of 500 input and 500 output tokens",
      credits: 151,
    });
    expect(sampleCost("embedding", { ...NO_PRICES, input_per_1k_tokens: 0.1 })?.credits).toBe(50);
  });

  it("is by the image, by the second, or by the request", () => {
    expect(sampleCost("image", { ...NO_PRICES, per_image: 0.04 })?.credits).toBe(40);
    expect(sampleCost("audio", { ...NO_PRICES, per_second: 0.001 })?.credits).toBe(10);
    expect(sampleCost("audio", { ...NO_PRICES, per_request: 0.3 })?.credits).toBe(300);
  });

  it("is not known while a price is missing", () => {
    expect(sampleCost("text", { ...NO_PRICES, input_per_1k_tokens: 0.1 })).toBeUndefined();
    expect(sampleCost("image", NO_PRICES)).toBeUndefined();
  });
});
