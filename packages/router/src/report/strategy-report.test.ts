import { DEFAULT_WEIGHTS, STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QUALITY_TIE_MARGIN } from "../rank/strategies.ts";
import { type PastCandidate, type PastRequest, reportStrategies } from "./strategy-report.ts";

const candidate = (model: string, changes: Partial<PastCandidate> = {}): PastCandidate => ({
  model,
  estimate: 1_000_000,
  cost: 1_000_000n,
  latencyMs: 1_000,
  quality: 0.5,
  errorRate: 0,
  isWanted: false,
  ...changes,
});

const MEASURES = { weights: DEFAULT_WEIGHTS, qualityFloor: 0.3, floorSetBy: "service" } as const;

const CHEAP = candidate("a/cheap", { estimate: 10_000, cost: 9_000n, latencyMs: 3_000 });
const FAST = candidate("a/fast", { estimate: 900_000, cost: 800_000n, latencyMs: 100, quality: 0.6 });
const BEST = candidate("a/best", { estimate: 9_000_000, cost: 8_000_000n, latencyMs: 4_000, quality: 0.99 });

const request = (id: string, changes: Partial<PastRequest> = {}): PastRequest => ({
  id,
  createdAt: new Date("2026-01-15T12:00:00Z"),
  model: CHEAP.model,
  cost: 7_000n,
  failed: new Set(),
  candidates: [CHEAP, FAST, BEST],
  ...changes,
});

const effectOf = (requests: readonly PastRequest[], strategy: Strategy, strategyWeights = DEFAULT_WEIGHTS) => {
  const effect = reportStrategies(requests, { ...MEASURES, weights: strategyWeights }, [strategy]).strategies[0];
  if (effect === undefined) throw new Error("There is no such strategy in the report.");
  return effect;
};

describe("reportStrategies", () => {
  it("uses the real charge where the same model would have answered", () => {
    const effect = effectOf([request("1"), request("2", { cost: 5_000n })], "cost-optimized");
    expect(effect).toMatchObject({ cost: 12_000n, latencyMs: 3_000, quality: 0.5, moved: 0, examples: [] });
    expect(effect.difference).toEqual({ cost: 0n, latencyMs: 0, quality: 0 });
  });

  it("uses the other model's cost where it would have been chosen", () => {
    const effect = effectOf([request("1")], "speed-optimized");
    expect(effect).toMatchObject({ cost: 800_000n, latencyMs: 100, quality: 0.6, moved: 1 });
    expect(effect.difference.cost).toBe(793_000n);
    expect(effect.difference.latencyMs).toBe(-2_900);
    expect(effect.difference.quality).toBeCloseTo(0.1);
    expect(effect.examples).toMatchObject([{ requestId: "1", from: "a/cheap", to: "a/fast" }]);
    expect(effect.examples[0]?.difference.cost).toBe(793_000n);
  });

  it("sums cost, and takes the average of time and quality", () => {
    const { actual } = reportStrategies([request("1"), request("2", { model: FAST.model, cost: 800_000n })], MEASURES);
    expect(actual.cost).toBe(807_000n);
    expect(actual.latencyMs).toBe(1_550);
    expect(actual.quality).toBeCloseTo(0.55);
  });

  it("uses the given weights for hybrid", () => {
    const first = (weights: { cost: number; speed: number; quality: number }) =>
      effectOf(
        [request("1", { model: "a/even", candidates: [CHEAP, FAST, BEST, candidate("a/even")] })],
        "hybrid",
        weights,
      ).examples[0]?.to;
    expect(first({ cost: 1, speed: 0, quality: 0 })).toBe("a/cheap");
    expect(first({ cost: 0, speed: 1, quality: 0 })).toBe("a/fast");
    expect(first({ cost: 0, speed: 0, quality: 1 })).toBe("a/best");
  });

  it("compares the floor with the predicted quality, like routing", () => {
    const doubtful = { ...CHEAP, quality: 0.2 };
    const past = [request("1", { candidates: [doubtful, FAST, BEST] })];
    expect(effectOf(past, "cost-optimized").examples).toMatchObject([{ to: "a/fast" }]);
    const lax = reportStrategies(past, { ...MEASURES, qualityFloor: 0.1 }, ["cost-optimized"]);
    expect(lax.strategies[0]?.moved).toBe(0);
  });

  it("does not choose a model that failed the request", () => {
    const failed = new Set([FAST.model]);
    const effect = effectOf([request("1", { failed })], "speed-optimized");
    expect(effect.moved).toBe(0);
    expect(effectOf([request("1", { model: FAST.model, failed })], "speed-optimized").moved).toBe(0);
  });

  it("skips a request whose model is not among the recorded candidates", () => {
    const report = reportStrategies([request("1", { model: "a/gone" })], MEASURES);
    expect(report.actual).toEqual({ cost: 0n, latencyMs: 0, quality: 0 });
    expect(report.strategies.map(({ moved }) => moved)).toEqual([0, 0, 0, 0]);
  });

  it("reports every strategy, also without requests, with at most twenty examples", () => {
    const empty = reportStrategies([], MEASURES);
    expect(empty.strategies.map(({ strategy }) => strategy)).toEqual(STRATEGIES);
    expect(empty.strategies.every(({ cost }) => cost === 0n)).toBe(true);
    const many = Array.from({ length: 30 }, (_, index) => request(String(index)));
    const effect = effectOf(many, "quality-optimized");
    expect(effect.moved).toBe(30);
    expect(effect.examples).toHaveLength(20);
    expect(effect.examples[0]?.requestId).toBe("0");
  });

  it("finds no strategy faster than speed-optimized, nor better than quality-optimized by more than a near tie", () => {
    const one = fc.record({
      estimate: fc.nat(1_000_000),
      latencyMs: fc.nat(10_000),
      // Speed leaves out what is less than half as good.
      quality: fc.double({ min: 0.5, max: 1, noNaN: true }),
    });
    const requests = fc.array(fc.array(one, { minLength: 1, maxLength: 6 }), { maxLength: 6 }).map((lists) =>
      lists.map((list, index) => {
        const candidates = list.map((figures, place) => candidate(`m${place}`, figures));
        return request(String(index), { model: "m0", candidates });
      }),
    );
    fc.assert(
      fc.property(requests, (all) => {
        const { actual, strategies } = reportStrategies(all, MEASURES);
        const fastest = strategies.find(({ strategy }) => strategy === "speed-optimized");
        const best = strategies.find(({ strategy }) => strategy === "quality-optimized");
        for (const { latencyMs, quality } of [actual, ...strategies]) {
          expect(latencyMs).toBeGreaterThanOrEqual((fastest?.latencyMs ?? 0) - 1e-6);
          expect(quality).toBeLessThanOrEqual((best?.quality ?? 0) + QUALITY_TIE_MARGIN + 1e-9);
        }
      }),
    );
  });
});
