import { FREE_PRICE, fullNameOf, type Model, type Price } from "@trunkline/core/model.ts";
import { createSeededRandom } from "@trunkline/core/random.ts";
import type { Health } from "@trunkline/core/route.ts";
import { find, sampleHealth, sampleModel, samplePolicy, sampleQuote } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { balanceEqualProviders } from "./balance-providers.ts";
import { ExplainedCandidate } from "./ranked-candidate.ts";

interface Offer extends Partial<Model> {
  readonly cost?: number;
  readonly health?: Partial<Health>;
}

const STEADY = () => 0;
const LAST = () => 0.999_999;

/** Candidates in the order in which they were ranked. */
function ranked(offers: Readonly<Record<string, Offer>>): readonly ExplainedCandidate[] {
  const models = Object.entries(offers).map(([name, { cost: _cost, health: _health, ...model }]) =>
    sampleModel(name, model),
  );
  const { tiers } = find(
    models,
    {},
    {
      healthOf: ({ id }) => sampleHealth(offers[id]?.health),
      quoteOf: ({ id, price }) => ({
        ...sampleQuote(BigInt(offers[id]?.cost ?? 1_000)),
        ...(price === undefined ? {} : { price }),
      }),
    },
  );
  return (tiers[0] ?? []).map((candidate) => new ExplainedCandidate(candidate, 0, samplePolicy("hybrid")));
}

const namesIn = (ranking: readonly ExplainedCandidate[]) => ranking.map(({ candidate }) => fullNameOf(candidate.model));
const orderOf = (offers: Readonly<Record<string, Offer>>, random: () => number) =>
  namesIn(balanceEqualProviders(ranked(offers), random).ranking);

describe("equal providers of one model", () => {
  it("get the first place in proportion to their weights, with its probability", () => {
    const ranking = ranked({ "a/x": {}, "b/x": { weight: 3 }, "c/x": { weight: 6 } });
    const random = createSeededRandom("weights");
    const firsts = new Map<string, number>();
    for (let index = 0; index < 10_000; index++) {
      const { ranking: drawn, propensity } = balanceEqualProviders(ranking, random);
      const [first] = namesIn(drawn);
      firsts.set(`${first} ${propensity}`, (firsts.get(`${first} ${propensity}`) ?? 0) + 1);
    }
    expect([...firsts.keys()].toSorted()).toEqual(["a/x 0.1", "b/x 0.3", "c/x 0.6"]);
    for (const [key, count] of firsts) {
      expect(Math.abs(count / 10_000 - Number(key.split(" ")[1])), key).toBeLessThan(0.02);
    }
  });

  it("draw each place among the remaining providers", () => {
    const draws = [0.5, 0.9];
    expect(orderOf({ "a/x": {}, "b/x": {}, "c/x": {} }, () => draws.shift() ?? 0)).toEqual(["b/x", "c/x", "a/x"]);
  });

  it("come last in their order with a weight of zero", () => {
    const offers = { "a/x": { weight: 0 }, "b/x": { weight: 0 }, "c/x": {} };
    for (const random of [STEADY, LAST]) expect(orderOf(offers, random)).toEqual(["c/x", "a/x", "b/x"]);
    const allZero = { "a/x": { weight: 0 }, "b/x": { weight: 0 } };
    for (const random of [STEADY, LAST]) expect(orderOf(allZero, random)).toEqual(["a/x", "b/x"]);
    expect(balanceEqualProviders(ranked(offers), STEADY)).toMatchObject({ tiedCount: 3, propensity: 1 });
  });

  it("are balanced at lower places too, and count as tied only at the first", () => {
    const offers = { "a/best": {}, "a/x": {}, "b/x": {} };
    expect(orderOf(offers, LAST)).toEqual(["a/best", "b/x", "a/x"]);
    expect(balanceEqualProviders(ranked(offers), LAST)).toMatchObject({ tiedCount: 1, propensity: 1 });
  });

  it("are compared by their claims until both are measured", () => {
    const measured = { health: { calls: 30, latencyMs: 100 } };
    expect(orderOf({ "a/x": measured, "b/x": {} }, LAST)).toEqual(["b/x", "a/x"]);
    expect(orderOf({ "a/x": measured, "b/x": { health: { calls: 19, latencyMs: 200 } } }, LAST)[0]).toBe("b/x");
    expect(orderOf({ "a/x": measured, "b/x": { health: { calls: 30, latencyMs: 200 } } }, LAST)[0]).toBe("a/x");
  });

  it("may differ within the margins", () => {
    const alike = { "a/x": {}, "b/x": { cost: 1_009, avgLatencyMs: 1_190, accuracyScore: 0.775 } };
    expect(orderOf(alike, LAST)).toEqual(["b/x", "a/x"]);
  });
});

describe("the ranking is kept", () => {
  const price = (change: Partial<Price>): Price => ({ version: "1", ...FREE_PRICE, ...change });

  it.each<[string, Offer]>([
    ["dearer", { cost: 1_011 }],
    ["slower", { avgLatencyMs: 1_210 }],
    ["worse", { accuracyScore: 0.76 }],
    ["failing", { health: { calls: 30, errorRate: 0.2 } }],
    ["dearer for long answers", { price: price({ outputPerMillion: 5n }) }],
    ["dearer out of its cache", { price: price({ cachedInputPerMillion: 5n }) }],
    ["for another kind of work", { capabilities: ["coding"], accuracyScore: 0.82 }],
    ["paid by the account itself", { ownKey: true }],
  ])("before one that is %s", (_, other) => {
    expect(orderOf({ "a/x": {}, "b/x": other }, LAST)).toEqual(["a/x", "b/x"]);
  });

  it("for models of different names, and the same array is returned", () => {
    const ranking = ranked({ "a/x": {}, "a/y": {}, "b/x": {}, "b/y": {} });
    expect(balanceEqualProviders(ranking, LAST)).toEqual({
      ranking,
      best: ranking[0]?.candidate,
      tiedCount: 1,
      propensity: 1,
    });
    expect(balanceEqualProviders(ranking, LAST).ranking).toBe(ranking);
  });

  it("where small differences add up, because each is compared with the first", () => {
    const steps = { "a/x": {}, "b/x": { avgLatencyMs: 1_150 }, "c/x": { avgLatencyMs: 1_300 } };
    expect(orderOf(steps, LAST)).toEqual(["b/x", "a/x", "c/x"]);
  });
});
