import type { Strategy } from "@trunkline/core/inference.ts";
import type { Route } from "@trunkline/core/route.ts";
import { find, sampleModel, samplePolicy, sampleQuote } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { chooseRoute, inCascadeOrder } from "../rank/choose-route.ts";
import { whyFirst } from "./why-first.ts";

const RICH = { balance: 10n ** 18n, budget: undefined };

function routeBy(strategy: Strategy, names = ["a/small", "a/big"]): Route {
  const models = names.map((name) =>
    sampleModel(name, name === "a/big" ? { accuracyScore: 0.95, avgLatencyMs: 3_000 } : { accuracyScore: 0.8 }),
  );
  const pool = find(models, {}, { quoteOf: ({ id }) => sampleQuote(id === "a/big" ? 4_000_000n : 20_000n) });
  return chooseRoute(pool, RICH, samplePolicy(strategy));
}

describe("whyFirst", () => {
  it.each([
    ["cost-optimized", "a/small before a/big: cost 0.00002 against 0.004 credits, quality 0.80 against 0.95."],
    ["speed-optimized", "a/small before a/big: time 1000 against 3000 ms, quality 0.80 against 0.95."],
    ["quality-optimized", "a/big before a/small: quality 0.95 against 0.80, cost 0.004 against 0.00002 credits."],
  ] as const)("compares the first two in the figures of %s", (strategy, sentence) => {
    expect(whyFirst(routeBy(strategy))).toBe(sentence);
  });

  it("shows the worth that hybrid compares, with all that it is made of", () => {
    expect(whyFirst(routeBy("hybrid"))).toMatch(
      /: worth 0\.01\d{4} against 0\.01\d{4} credits; quality 0\.\d\d against 0\.\d\d, cost .* credits, time \d+ against \d+ ms\.$/,
    );
  });

  it("says why one of two that are as good came first", () => {
    const better = (accuracyScore: number, avgLatencyMs: number, cost: bigint) => {
      const models = [
        sampleModel("a/one", { accuracyScore: 0.8, avgLatencyMs: 1_000 }),
        sampleModel("a/two", { accuracyScore, avgLatencyMs }),
      ];
      const pool = find(models, {}, { quoteOf: ({ id }) => sampleQuote(id === "a/two" ? cost : 20_000n) });
      return whyFirst(chooseRoute(pool, RICH, samplePolicy("quality-optimized")));
    };
    expect(better(0.803, 1_000, 40_000n)).toBe(
      "a/one before a/two: as good within 0.005, and cheaper: cost 0.00002 against 0.00004 credits.",
    );
    expect(better(0.803, 9_000, 10_000n)).toBe(
      "a/one before a/two: as good within 0.005, and several times as fast: time 1000 against 9000 ms, cost 0.00002 against 0.00001 credits.",
    );
    expect(better(0.798, 1_000, 20_000n)).toBe("a/one before a/two: alike in cost; quality 0.800 against 0.798.");
    expect(better(0.8, 1_000, 20_000n)).toBe("a/one before a/two: alike in all that counts; registered first.");
  });

  it("says truly why of two that are alike in what the strategy compares", () => {
    for (const strategy of ["cost-optimized", "speed-optimized", "hybrid"] as const) {
      const models = ["a/one", "a/two"].map((name) => sampleModel(name, { accuracyScore: 0.8 }));
      const alike = chooseRoute(find(models), RICH, samplePolicy(strategy));
      expect(whyFirst(alike)).toBe("a/one before a/two: alike in all that counts; registered first.");
    }
  });

  it("says that no model clears the floor, and that speed asks for some quality", () => {
    const weak = (strategy: Strategy) => {
      const models = [
        sampleModel("a/tiny", { accuracyScore: 0.05, avgLatencyMs: 400 }),
        sampleModel("a/big", { accuracyScore: 0.55, avgLatencyMs: 1_600 }),
      ];
      const pool = find(models, {}, { quoteOf: ({ id }) => sampleQuote(id === "a/big" ? 4_000_000n : 20_000n) });
      return chooseRoute(pool, RICH, samplePolicy(strategy));
    };
    expect(whyFirst(weak("cost-optimized"))).toBe(
      "a/big before a/tiny: quality 0.55 against 0.05, cost 0.004 against 0.00002 credits; none clears the floor of 0.60, so it is 0.52 here, 95 % of the best quality.",
    );
    expect(weak("cost-optimized").ranking.map(({ clearsFloor, reasons }) => [clearsFloor, reasons[2]])).toEqual([
      [true, "none clears the floor of 0.60, so it is 0.52 here, 95 % of the best quality"],
      [
        false,
        "its quality of 0.05 is below 0.52: none clears the floor of 0.60, so it is 0.52 here, 95 % of the best quality",
      ],
    ]);
    expect(whyFirst(weak("speed-optimized"))).toBe(
      "a/big before a/tiny: time 1600 against 400 ms, and the quality 0.05 of the second is less than half of what others reach that take little longer.",
    );
    const cascade = inCascadeOrder(weak("cost-optimized"));
    expect(whyFirst(cascade)).toBe(
      "a/tiny before a/big: a cascade asks the cheapest first; cost 0.00002 against 0.004 credits, quality 0.05 against 0.55.",
    );
    expect(cascade.ranking[0].reasons.join("; ")).not.toContain("floor");
  });

  it("says where a session, a trial or a name decided", () => {
    expect(whyFirst({ ...routeBy("hybrid"), stickyTo: "a/small" })).toContain("it answered last in this session");
    const explored = { propensity: 0.05, insteadOf: "a/big" };
    expect(whyFirst({ ...routeBy("hybrid"), explored })).toContain("tried to learn more about it");
    expect(whyFirst(routeBy("hybrid", ["a/small"]))).toBe("a/small is the only model that can serve this request.");
  });

  it("fits into a header", () => {
    expect(whyFirst(routeBy("hybrid", ["a/größe"]))).toMatch(/^[\x20-\x7e]+$/);
  });
});
