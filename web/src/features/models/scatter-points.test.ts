import { describe, expect, it } from "vitest";
import type { Offer } from "../../api/catalogue.ts";
import { scatterOf } from "./scatter-points.ts";

const offer = (price: number, quality: number | null, more: Partial<Offer["pricing"]> = {}) =>
  ({
    full_name: `acme/${price}`,
    pricing: { input_per_1k_tokens: price, output_per_1k_tokens: price, ...more },
    performance: { accuracy_score: quality, predicted_quality: null },
  }) as Offer;

describe("price against quality", () => {
  it("puts prices by their logarithm between the powers of ten around them", () => {
    const { points, priceTicks } = scatterOf([offer(0.001, 0.5), offer(0.1, 0.9), offer(0.01, 0.7)]);
    expect(points.map(({ price }) => price)).toEqual([1, 10, 100]);
    for (const [index, place] of [0, 0.5, 1].entries()) expect(points[index]?.x).toBeCloseTo(place);
    expect(points.map(({ y }) => y)).toEqual([0.5, 0.7, 0.9]);
    expect(priceTicks.map(({ value }) => value)).toEqual([1, 10, 100]);
  });

  it("reserves the left edge for free models", () => {
    const { points, hasFree } = scatterOf([offer(0, 0.2), offer(0.001, 0.5)]);
    expect(hasFree).toBe(true);
    expect(points[0]?.x).toBeLessThan(points[1]?.x ?? 0);
    expect(points[1]?.x).toBeGreaterThan(0);
  });

  it("leaves out what has no quality or another price, and counts it", () => {
    const { points, leftOut } = scatterOf([offer(1, null), offer(0, 0.5, { per_image: 1 }), offer(1, 0.5)]);
    expect(points).toHaveLength(1);
    expect(leftOut).toBe(2);
  });

  it("has a width even for one price, and for none", () => {
    const { points, priceTicks } = scatterOf([offer(0.01, 0.5)]);
    expect(Number.isFinite(points[0]?.x)).toBe(true);
    expect(priceTicks.length).toBe(2);
    expect(scatterOf([]).points).toEqual([]);
  });
});
