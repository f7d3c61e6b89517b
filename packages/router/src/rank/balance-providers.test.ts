import { FREE_PRICE, fullNameOf, type Model, type Price } from "@trunkline/core/model.ts";
import { createSeededRandom } from "@trunkline/core/random.ts";
import type { Health } from "@trunkline/core/route.ts";
import { find, sampleHealth, sampleModel, sampleQuote } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import type { EligibleModel } from "../candidates/eligibility.ts";
import { balanceEqualProviders } from "./balance-providers.ts";

interface Offer extends Partial<Model> {
  readonly cost?: number;
  readonly health?: Partial<Health>;
}

const STEADY = () => 0;
const LAST = () => 0.999_999;

/** Prospects in the order in which they were ranked. */
function ranked(offers: Readonly<Record<string, Offer>>): readonly EligibleModel[] {
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
  return tiers[0] ?? [];
}

const namesIn = (eligibleModels: readonly EligibleModel[]) => eligibleModels.map(({ model }) => fullNameOf(model));
const orderOf = (offers: Readonly<Record<string, Offer>>, random: () => number) =>
  namesIn(balanceEqualProviders(ranked(offers), random).eligibleModels);

describe("equal providers of one model", () => {
  it("take the first place as often as they weigh, and say how likely that was", () => {
    const eligibleModels = ranked({ "a/x": {}, "b/x": { weight: 3 }, "c/x": { weight: 6 } });
    const random = createSeededRandom("weights");
    const firsts = new Map<string, number>();
    for (let index = 0; index < 10_000; index++) {
      const { eligibleModels: drawn, propensity } = balanceEqualProviders(eligibleModels, random);
      const [first] = namesIn(drawn);
      firsts.set(`${first} ${propensity}`, (firsts.get(`${first} ${propensity}`) ?? 0) + 1);
    }
    expect([...firsts.keys()].toSorted()).toEqual(["a/x 0.1", "b/x 0.3", "c/x 0.6"]);
    for (const [key, count] of firsts) {
      expect(Math.abs(count / 10_000 - Number(key.split(" ")[1])), key).toBeLessThan(0.02);
    }
  });

  it("draw every place, each without those that have one", () => {
    const draws = [0.5, 0.9];
    expect(orderOf({ "a/x": {}, "b/x": {}, "c/x": {} }, () => draws.shift() ?? 0)).toEqual(["b/x", "c/x", "a/x"]);
  });

  it("go behind all others where they weigh nothing, in the order they came in", () => {
    const offers = { "a/x": { weight: 0 }, "b/x": { weight: 0 }, "c/x": {} };
    for (const random of [STEADY, LAST]) expect(orderOf(offers, random)).toEqual(["c/x", "a/x", "b/x"]);
    const nobody = { "a/x": { weight: 0 }, "b/x": { weight: 0 } };
    for (const random of [STEADY, LAST]) expect(orderOf(nobody, random)).toEqual(["a/x", "b/x"]);
    expect(balanceEqualProviders(ranked(offers), STEADY)).toMatchObject({ equals: 3, propensity: 1 });
  });

  it("are spread further down as well, and count only where they are the first", () => {
    const offers = { "a/best": {}, "a/x": {}, "b/x": {} };
    expect(orderOf(offers, LAST)).toEqual(["a/best", "b/x", "a/x"]);
    expect(balanceEqualProviders(ranked(offers), LAST)).toMatchObject({ equals: 1, propensity: 1 });
  });

  it("are compared by their claims until both are measured, so that the one called first does not keep all", () => {
    const measured = { health: { calls: 30, latencyMs: 100 } };
    expect(orderOf({ "a/x": measured, "b/x": {} }, LAST)).toEqual(["b/x", "a/x"]);
    expect(orderOf({ "a/x": measured, "b/x": { health: { calls: 19, latencyMs: 200 } } }, LAST)[0]).toBe("b/x");
    expect(orderOf({ "a/x": measured, "b/x": { health: { calls: 30, latencyMs: 200 } } }, LAST)[0]).toBe("a/x");
  });

  it("may differ by what nobody would choose by", () => {
    const alike = { "a/x": {}, "b/x": { cost: 1_009, avgLatencyMs: 1_190, accuracyScore: 0.775 } };
    expect(orderOf(alike, LAST)).toEqual(["b/x", "a/x"]);
  });
});

describe("the ranking stands", () => {
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

  it("for models of different names, however alike, and the very same order is given back", () => {
    const eligibleModels = ranked({ "a/x": {}, "a/y": {}, "b/x": {}, "b/y": {} });
    expect(balanceEqualProviders(eligibleModels, LAST)).toEqual({
      prospects: eligibleModels,
      best: eligibleModels[0],
      equals: 1,
      propensity: 1,
    });
    expect(balanceEqualProviders(eligibleModels, LAST).eligibleModels).toBe(eligibleModels);
  });

  it("where a row of small steps leads far: each is compared with the first of them", () => {
    const steps = { "a/x": {}, "b/x": { avgLatencyMs: 1_150 }, "c/x": { avgLatencyMs: 1_300 } };
    expect(orderOf(steps, LAST)).toEqual(["b/x", "a/x", "c/x"]);
  });
});
