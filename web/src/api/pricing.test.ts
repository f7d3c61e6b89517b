import { describe, expect, it } from "vitest";
import { blendedPrice, isFree, priceLines } from "./pricing.ts";

const none = {
  input_per_1k_tokens: 0,
  cached_input_per_1k_tokens: null,
  cache_write_per_1k_tokens: null,
  output_per_1k_tokens: 0,
  per_image: 0,
  per_request: 0,
  per_second: 0,
};

describe("the price of a model", () => {
  it("lists what is asked and leaves out what is not", () => {
    expect(priceLines({ ...none, input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 })).toEqual([
      { kind: "input", label: "Input", credits: 1, per: "1M tokens" },
      { kind: "output", label: "Output", credits: 2, per: "1M tokens" },
    ]);
    expect(priceLines({ ...none, per_image: 0.04 })).toEqual([
      { kind: "image", label: "Image", credits: 0.04, per: "image" },
    ]);
  });

  it("shows a cache where it costs less, even nothing", () => {
    const cached = (price: number) =>
      priceLines({ ...none, input_per_1k_tokens: 1, cached_input_per_1k_tokens: price }).map(({ label }) => label);
    expect(cached(0)).toEqual(["Input", "Cached input"]);
    expect(cached(0.5)).toEqual(["Input", "Cached input"]);
    expect(cached(1)).toEqual(["Input"]);
  });

  it("shows what goes into a cache where that has a price of its own", () => {
    const lines = priceLines({ ...none, input_per_1k_tokens: 1, cache_write_per_1k_tokens: 1.25 });
    expect(lines.map(({ label, credits }) => [label, credits])).toEqual([
      ["Input", 1_000],
      ["Cache write", 1_250],
    ]);
  });

  it("is free where nothing is asked", () => {
    expect(isFree(none)).toBe(true);
    expect(isFree({ ...none, per_second: 1e-9 })).toBe(false);
  });

  it("is blended of three tokens in and one out", () => {
    expect(blendedPrice({ ...none, input_per_1k_tokens: 1, output_per_1k_tokens: 5 })).toBe(2_000);
    expect(blendedPrice({ ...none, input_per_1k_tokens: 0.1, output_per_1k_tokens: 0.2 })).toBe(125);
    expect(blendedPrice(none)).toBe(0);
  });

  it("has no blend where something else than tokens is paid for", () => {
    expect(blendedPrice({ ...none, per_image: 0.04 })).toBeUndefined();
    expect(blendedPrice({ ...none, input_per_1k_tokens: 1, per_request: 1 })).toBeUndefined();
  });
});
