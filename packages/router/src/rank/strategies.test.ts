import type { DEFAULT_WEIGHTS, Preferences, Strategy } from "@trunkline/core/inference.ts";
import { sampleInference, samplePolicy } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  expectedAttempts,
  QUALITY_TIE_MARGIN,
  type RankingMetrics,
  rankByMetrics,
  resolveRoutingPolicy,
  resolveStrategy,
  sureQualityOf,
} from "./strategies.ts";

describe("resolve-strategy", () => {
  function prefer(changes: Partial<Preferences>) {
    return { strategy: undefined, preferences: { ...sampleInference().preferences, ...changes } };
  }
  const quiet = { strategy: undefined };

  describe("resolveStrategy", () => {
    it("lets the request's own strategy win over everything", () => {
      const inference = { ...prefer({ speed: "fast" }), strategy: "quality-optimized" as const };
      expect(resolveStrategy(inference, { strategy: "hybrid" }, "cost-optimized")).toBe("quality-optimized");
    });

    it.each([
      [{ speed: "fast" }, "speed-optimized"],
      [{ cost: "low" }, "cost-optimized"],
      [{ quality: "high" }, "quality-optimized"],
      [{ quality: "high", cost: "any" }, "quality-optimized"],
      [{ speed: "fast", cost: "balanced" }, "speed-optimized"],
      [{ speed: "fast", cost: "low" }, "hybrid"],
      [{ speed: "fast", cost: "low", quality: "high" }, "hybrid"],
      [{ cost: "balanced" }, "hybrid"],
    ] as const)("reads the preferences %j as %s, over the account's strategy", (preferences, strategy) => {
      const account = { strategy: strategy === "hybrid" ? "cost-optimized" : "hybrid" } as const;
      expect(resolveStrategy(prefer(preferences), account, account.strategy)).toBe(strategy);
    });

    it("falls to the account's strategy where the preferences say nothing about it", () => {
      const account = { strategy: "speed-optimized" } as const;
      expect(resolveStrategy(prefer({}), account, "hybrid")).toBe("speed-optimized");
      expect(resolveStrategy(prefer({ speed: "any", cost: "any" }), account, "hybrid")).toBe("speed-optimized");
      expect(resolveStrategy(prefer({ minQuality: 0.9 }), account, "hybrid")).toBe("speed-optimized");
    });

    it("falls to the service's strategy last", () => {
      expect(resolveStrategy(prefer({}), quiet, "cost-optimized")).toBe("cost-optimized");
    });
  });

  describe("the floor of quality", () => {
    const defaults = { strategy: "cost-optimized", qualityFloor: 0.3 } as const;
    const floorOf = (minQuality: number | undefined, account: number | undefined) => {
      const inference = { ...prefer({ minQuality }), model: undefined };
      return resolveRoutingPolicy(inference, { ...quiet, weights: undefined, minQuality: account }, defaults)
        .qualityFloor;
    };

    it("is the request's, else the account's, else the service's", () => {
      expect(floorOf(0.9, 0.6)).toBe(0.9);
      expect(floorOf(undefined, 0.6)).toBe(0.6);
      expect(floorOf(undefined, undefined)).toBe(0.3);
      expect(floorOf(0, 0.6)).toBe(0);
      expect(floorOf(undefined, 0)).toBe(0);
    });
  });
});

describe("optimisations", () => {
  const FLOOR = 0.3;

  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const rankingMetrics: fc.Arbitrary<RankingMetrics> = fc.record({
    isWanted: fc.boolean(),
    cost: fc.nat(1_000_000),
    latencyMs: fc.nat(10_000),
    quality: share,
    sureQuality: share,
    errorRate: share,
    efficiency: fc.constant(2),
  });
  const some = fc.array(rankingMetrics, { minLength: 1, maxLength: 15 });

  const costOf = ({ cost, errorRate }: RankingMetrics) => cost * expectedAttempts(errorRate);
  const timeOf = ({ latencyMs, errorRate }: RankingMetrics) => latencyMs * expectedAttempts(errorRate);
  const worthOf = ({ quality, errorRate }: RankingMetrics) => quality / expectedAttempts(errorRate);

  const rank = (all: readonly RankingMetrics[], strategy: Strategy) =>
    rankByMetrics(all, (one) => one, { ...samplePolicy(strategy), qualityFloor: FLOOR });

  /** Whatever the strategy, only those compete for the first place that list the client's word, where anybody does. */
  const competing = (all: readonly RankingMetrics[]) => {
    const wanted = all.filter(({ isWanted }) => isWanted);
    return wanted.length > 0 ? wanted : all;
  };

  function firstOf(all: readonly RankingMetrics[], strategy: Strategy): RankingMetrics {
    const [first] = rank(all, strategy);
    if (first === undefined) throw new Error("Nobody came first.");
    return first.item;
  }

  describe("cost-optimized", () => {
    it("takes the least expected cost of those that surely clear the floor, or of all where none does", () => {
      fc.assert(
        fc.property(some, (all) => {
          const rivals = competing(all);
          const clear = rivals.filter(({ sureQuality }) => sureQuality >= FLOOR);
          const least = Math.min(...(clear.length > 0 ? clear : rivals).map(costOf));
          const first = firstOf(all, "cost-optimized");
          expect(costOf(first)).toBe(least);
          expect(first.sureQuality >= FLOOR).toBe(clear.length > 0);
        }),
      );
    });

    it("puts those that do not clear the floor after all that do, the cheapest first, and loses none", () => {
      fc.assert(
        fc.property(some, (all) => {
          const unlisted = all.map((one) => ({ ...one, isWanted: false }));
          const ranked = rank(unlisted, "cost-optimized");
          const places = ranked.map(({ clearsFloor, score }) => ({ clearsFloor, score }));
          expect(places).toEqual(
            places.toSorted((a, b) => Number(b.clearsFloor) - Number(a.clearsFloor) || a.score - b.score),
          );
          expect(ranked).toHaveLength(all.length);
        }),
      );
    });
  });

  describe("speed-optimized", () => {
    it("takes the least expected time", () => {
      fc.assert(
        fc.property(some, (all) => {
          expect(timeOf(firstOf(all, "speed-optimized"))).toBe(Math.min(...competing(all).map(timeOf)));
        }),
      );
    });
  });

  describe("quality-optimized", () => {
    it("takes the cheapest of those that are within a near tie of the best", () => {
      fc.assert(
        fc.property(some, (all) => {
          const rivals = competing(all);
          const best = Math.max(...rivals.map(worthOf));
          const tied = rivals.filter((one) => worthOf(one) >= best - QUALITY_TIE_MARGIN);
          const first = firstOf(all, "quality-optimized");
          expect(worthOf(first)).toBeGreaterThanOrEqual(best - QUALITY_TIE_MARGIN);
          expect(costOf(first)).toBe(Math.min(...tied.map(costOf)));
        }),
      );
    });

    it("keeps the better one before the worse one wherever more than a near tie is between them", () => {
      fc.assert(
        fc.property(some, (all) => {
          const unlisted = all.map((one) => ({ ...one, isWanted: false }));
          const scores = rank(unlisted, "quality-optimized").map(({ score }) => score);
          scores.forEach((score, place) => {
            for (const later of scores.slice(place + 1)) expect(later).toBeLessThanOrEqual(score + QUALITY_TIE_MARGIN);
          });
        }),
      );
    });
  });

  describe("hybrid", () => {
    it("takes the greatest balance, whose extremes are the other strategies", () => {
      fc.assert(
        fc.property(some, (all) => {
          const unlisted = all.map((one) => ({ ...one, isWanted: false }));
          const scores = rank(unlisted, "hybrid").map(({ score }) => score);
          expect(scores[0]).toBe(Math.max(...scores));
          const weighing = (strategyWeights: typeof DEFAULT_WEIGHTS) =>
            rankByMetrics(unlisted, (one) => one, { ...samplePolicy("hybrid", strategyWeights) })[0]?.item;
          const cheapest = weighing({ cost: 1, speed: 0, quality: 0 });
          const fastest = weighing({ cost: 0, speed: 1, quality: 0 });
          const best = weighing({ cost: 0, speed: 0, quality: 1 });
          if (cheapest === undefined || fastest === undefined || best === undefined) throw new Error("None.");
          expect(costOf(cheapest)).toBeCloseTo(Math.min(...unlisted.map(costOf)), 3);
          expect(timeOf(fastest)).toBeCloseTo(Math.min(...unlisted.map(timeOf)), 3);
          expect(worthOf(best)).toBeCloseTo(Math.max(...unlisted.map(worthOf)), 9);
        }),
      );
    });
  });

  describe("the quality that is held against the floor", () => {
    it("is the claim where there is nothing but that, and nears the lower bound with every outcome", () => {
      expect(sureQualityOf(0.8, 0.65, 0)).toBe(0.8);
      expect(sureQualityOf(0.8, 0.5, 20)).toBeCloseTo(0.65);
      expect(sureQualityOf(0.8, 0.5, 2_000)).toBeCloseTo(0.5, 2);
    });
  });
});
