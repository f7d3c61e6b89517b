import type { Strategy } from "@trunkline/core/inference.ts";
import type { Route } from "@trunkline/core/route.ts";
import { find, sampleModel, samplePolicy, sampleQuote } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { chooseRoute } from "../rank/choose-route.ts";
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
