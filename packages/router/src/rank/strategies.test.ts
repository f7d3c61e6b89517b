import { DEFAULT_WEIGHTS, type Preferences, type Strategy } from "@trunkline/core/inference.ts";
import { sampleInference, samplePolicy } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  expectedAttempts,
  QUALITY_TIE_MARGIN,
  type Rankable,
  rankByStrategy,
  resolveRoutingPolicy,
  resolveStrategy,
  TIED_TIME_FACTOR,
} from "./strategies.ts";

describe("strategies", () => {
  function prefer(changes: Partial<Preferences>) {
    return { strategy: undefined, preferences: { ...sampleInference().preferences, ...changes } };
  }
  const undecided = { strategy: undefined };

  describe("resolveStrategy", () => {
    it("takes the request's own strategy first", () => {
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

    it("weighs two wishes together, and differently for each pair", () => {
      const weightsOf = (preferences: Partial<Preferences>) =>
        resolveRoutingPolicy(
          { ...prefer(preferences), model: undefined },
          { ...undecided, weights: undefined, minQuality: undefined },
          { strategy: "cost-optimized", qualityFloor: 0.5 },
        ).weights;
      expect(weightsOf({ speed: "fast", cost: "low" })).toEqual({ cost: 0.45, speed: 0.45, quality: 0.1 });
      expect(weightsOf({ cost: "low", quality: "high" })).toEqual({ cost: 0.45, speed: 0.1, quality: 0.45 });
      expect(weightsOf({ speed: "fast", quality: "high" })).toEqual({ cost: 0.1, speed: 0.45, quality: 0.45 });
      expect(weightsOf({ speed: "fast", cost: "low", quality: "high" })).toEqual(DEFAULT_WEIGHTS);
      expect(weightsOf({ cost: "balanced" })).toEqual(DEFAULT_WEIGHTS);
    });

    it("takes the account's strategy where the preferences name none", () => {
      const account = { strategy: "speed-optimized" } as const;
      expect(resolveStrategy(prefer({}), account, "hybrid")).toBe("speed-optimized");
      expect(resolveStrategy(prefer({ speed: "any", cost: "any" }), account, "hybrid")).toBe("speed-optimized");
      expect(resolveStrategy(prefer({ minQuality: 0.9 }), account, "hybrid")).toBe("speed-optimized");
    });

    it("takes the service's strategy last", () => {
      expect(resolveStrategy(prefer({}), undecided, "cost-optimized")).toBe("cost-optimized");
    });
  });

  describe("the quality floor", () => {
    const defaults = { strategy: "cost-optimized", qualityFloor: 0.3 } as const;
    const floorOf = (minQuality: number | undefined, account: number | undefined) => {
      const inference = { ...prefer({ minQuality }), model: undefined };
      return resolveRoutingPolicy(inference, { ...undecided, weights: undefined, minQuality: account }, defaults)
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

describe("rankByStrategy", () => {
  const FLOOR = 0.3;

  const share = fc.double({ min: 0, max: 1, noNaN: true });
  type Figures = Rankable & { readonly cost: number };
  const figures: fc.Arbitrary<Figures> = fc.record({
    isWanted: fc.boolean(),
    cost: fc.nat(1_000_000),
    latencyMs: fc.nat(10_000),
    quality: share,
    errorRate: share,
  });
  const some = fc.array(figures, { minLength: 1, maxLength: 15 });

  const costOf = ({ cost, errorRate }: Figures) => cost * expectedAttempts(errorRate);
  const timeOf = ({ latencyMs, errorRate }: Figures) => latencyMs * expectedAttempts(errorRate);
  const worthOf = ({ quality, errorRate }: Figures) => quality / expectedAttempts(errorRate);

  const rank = (all: readonly Figures[], strategy: Strategy) =>
    rankByStrategy(
      all,
      ({ cost }) => cost,
      () => 2,
      { ...samplePolicy(strategy), qualityFloor: FLOOR },
    );

  /** With every strategy, models that list the client's task word come first. */
  const competing = (all: readonly Figures[]) => {
    const wanted = all.filter(({ isWanted }) => isWanted);
    return wanted.length > 0 ? wanted : all;
  };

  function firstOf(all: readonly Figures[], strategy: Strategy): Figures {
    const [first] = rank(all, strategy);
    if (first === undefined) throw new Error("The ranking is empty.");
    return first.candidate;
  }

  describe("cost-optimized", () => {
    it("takes the lowest expected cost of the candidates above the floor, or the best where none is above it", () => {
      fc.assert(
        fc.property(some, (all) => {
          const rivals = competing(all);
          const clear = rivals.filter(({ quality }) => quality >= FLOOR);
          const first = firstOf(all, "cost-optimized");
          if (clear.length > 0) expect(costOf(first)).toBe(Math.min(...clear.map(costOf)));
          else expect(worthOf(first)).toBe(Math.max(...rivals.map(worthOf)));
          expect(first.quality >= FLOOR).toBe(clear.length > 0);
        }),
      );
    });

    it("puts candidates below the floor last, the best first, and loses none", () => {
      fc.assert(
        fc.property(some, (all) => {
          const unlisted = all.map((one) => ({ ...one, isWanted: false }));
          const ranked = rank(unlisted, "cost-optimized");
          const places = ranked.map(({ candidate, score }) =>
            candidate.quality >= FLOOR ? [0, score] : [1, -worthOf(candidate), score],
          );
          const inOrder = (a: readonly number[], b: readonly number[]) =>
            a.map((figure, at) => figure - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
          expect(places).toEqual(places.toSorted(inOrder));
          expect(ranked).toHaveLength(all.length);
        }),
      );
    });
  });

  describe("speed-optimized", () => {
    it("takes the shortest expected time", () => {
      fc.assert(
        fc.property(some, (all) => {
          expect(timeOf(firstOf(all, "speed-optimized"))).toBe(Math.min(...competing(all).map(timeOf)));
        }),
      );
    });
  });

  describe("quality-optimized", () => {
    it("takes the cheapest candidate within the tie margin of the best that does not take several times as long", () => {
      fc.assert(
        fc.property(some, (all) => {
          const rivals = competing(all);
          const best = Math.max(...rivals.map(worthOf));
          const tied = rivals.filter((one) => worthOf(one) >= best - QUALITY_TIE_MARGIN);
          const first = firstOf(all, "quality-optimized");
          expect(worthOf(first)).toBeGreaterThanOrEqual(best - QUALITY_TIE_MARGIN);
          const least = Math.min(...tied.map(timeOf));
          const quick = tied.filter((other) => timeOf(other) <= TIED_TIME_FACTOR * least);
          expect(costOf(first)).toBe(Math.min(...quick.map(costOf)));
        }),
      );
    });

    it("keeps a better candidate before a worse one outside the tie margin", () => {
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
    it("takes the highest worth in credits, whatever else is in the pool", () => {
      const one = (quality: number, cost: number, latencyMs: number): Figures => ({
        isWanted: false,
        errorRate: 0,
        quality,
        cost,
        latencyMs,
      });
      const tiny = one(0.95, 10_000, 1_000);
      const strong = one(0.99, 4_000_000, 3_000);
      expect(firstOf([tiny, strong], "hybrid")).toBe(tiny);
      expect(rank([tiny, strong], "hybrid")[0]?.score).toBeCloseTo(0.95 * 20_000_000 - 10_000 - 250_000);
      const hard = [
        { ...tiny, quality: 0.2 },
        { ...strong, quality: 0.8 },
      ];
      expect(firstOf(hard, "hybrid")).toBe(hard[1]);
      const bad = one(0.01, 90_000_000, 60_000);
      expect(firstOf([tiny, strong, bad], "hybrid")).toBe(tiny);
    });

    it("has the other strategies as its extremes", () => {
      fc.assert(
        fc.property(some, (all) => {
          const unlisted = all.map((one) => ({ ...one, isWanted: false }));
          const scores = rank(unlisted, "hybrid").map(({ score }) => score);
          expect(scores[0]).toBe(Math.max(...scores));
          const weighing = (weights: typeof DEFAULT_WEIGHTS) =>
            rankByStrategy(
              unlisted,
              ({ cost }) => cost,
              () => 2,
              samplePolicy("hybrid", weights),
            )[0]?.candidate;
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
});
