import { Fault } from "@trunkline/core/fault.ts";
import { type Inference, STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import type { Health, Quote } from "@trunkline/core/route.ts";
import {
  faultOf,
  sampleHealth,
  sampleInference,
  sampleModel,
  samplePolicy,
  sampleQuote,
  sampleSearch,
} from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCandidates } from "../candidates/find-candidates.ts";
import { chooseRoute, type SpendableFunds } from "./choose-route.ts";

interface Offer {
  readonly name: string;
  readonly cost?: number;
  readonly health?: Partial<Health>;
  readonly model?: Partial<Model>;
}

const RICH = { balance: 10n ** 18n, budget: undefined };

function eligibleOf(offers: readonly Offer[], inference: Partial<Inference> = {}) {
  const offerOf = new Map(offers.map((offer) => [`acme/${offer.name}`, offer]));
  return findCandidates(
    sampleSearch(
      offers.map(({ name, model }) => sampleModel(`acme/${name}`, model)),
      {
        inference: sampleInference(inference),
        healthOf: (model): Health => sampleHealth(offerOf.get(model.id)?.health),
        quoteOf: (model): Quote => sampleQuote(BigInt(offerOf.get(model.id)?.cost ?? 1_000_000)),
      },
    ),
  );
}

const choose = (
  offers: readonly Offer[],
  spendableFunds: SpendableFunds,
  strategy: Strategy,
  inference?: Partial<Inference>,
) => chooseRoute(eligibleOf(offers, inference), spendableFunds, samplePolicy(strategy));

function order(offers: readonly Offer[], strategy: Strategy, inference: Partial<Inference> = {}): string[] {
  const route = choose(offers, RICH, strategy, inference);
  return route.candidates.map(({ model }) => model.name);
}

function refusal(offers: readonly Offer[], balance: bigint, budget?: bigint): Fault {
  return faultOf(() => choose(offers, { balance, budget }, "cost-optimized"));
}

describe("cost-optimized", () => {
  it("takes the cheapest, then the better, then the faster", () => {
    const offers = [
      { name: "dear", cost: 3_000, model: { accuracyScore: 1, avgLatencyMs: 1 } },
      { name: "slow", cost: 2_000, model: { accuracyScore: 0.9, avgLatencyMs: 900 } },
      { name: "poor", cost: 2_000, model: { accuracyScore: 0.4, avgLatencyMs: 1 } },
      { name: "fast", cost: 2_000, model: { accuracyScore: 0.9, avgLatencyMs: 100 } },
    ];
    expect(order(offers, "cost-optimized")).toEqual(["fast", "slow", "poor", "dear"]);
  });

  it("prefers the coder for code among equally cheap ones, but not for a higher price", () => {
    const task = normaliseTask("code");
    const coder = { name: "coder", model: { capabilities: ["coding"] } };
    const talker = { name: "talker", model: { capabilities: ["chat"] } };
    expect(order([talker, coder], "cost-optimized", { task })).toEqual(["coder", "talker"]);
    const cheapTalker = { ...talker, cost: 1 };
    expect(order([coder, cheapTalker], "cost-optimized", { task })).toEqual(["talker", "coder"]);
  });

  it("lets the provider's cost_efficiency only part what is equal", () => {
    const offers = [
      { name: "low", model: { costEfficiency: "low" } },
      { name: "high", model: { costEfficiency: "high" } },
      { name: "cheap", cost: 1, model: { costEfficiency: "low" } },
    ];
    expect(order(offers, "cost-optimized")).toEqual(["cheap", "high", "low"]);
  });

  it("counts the calls it takes: half as dear is no bargain if three of four calls fail", () => {
    const offers = [
      { name: "flaky", cost: 500, health: { calls: 40, errorRate: 0.75 } },
      { name: "sound", cost: 1_000 },
    ];
    expect(order(offers, "cost-optimized")).toEqual(["sound", "flaky"]);
  });

  it("takes a few failures for noise", () => {
    const offers = [
      { name: "good", model: { accuracyScore: 0.9 }, health: { calls: 40, errorRate: 0.03 } },
      { name: "poor", model: { accuracyScore: 0.5 } },
    ];
    expect(order(offers, "cost-optimized")).toEqual(["good", "poor"]);
  });
});

describe("the other strategies", () => {
  const offers = [
    { name: "cheap", cost: 10_000, model: { accuracyScore: 0.5, avgLatencyMs: 3_000 } },
    { name: "fast", cost: 900_000, model: { accuracyScore: 0.6, avgLatencyMs: 100 } },
    { name: "best", cost: 9_000_000, model: { accuracyScore: 0.99, avgLatencyMs: 4_000 } },
    { name: "even", cost: 40_000, model: { accuracyScore: 0.9, avgLatencyMs: 700 } },
  ];

  it("speed-optimized takes the fastest", () => {
    expect(order(offers, "speed-optimized")).toEqual(["fast", "even", "cheap", "best"]);
  });

  it("quality-optimized takes the best, and the cheaper of equals", () => {
    expect(order(offers, "quality-optimized")).toEqual(["best", "even", "fast", "cheap"]);
    const equals = [
      { name: "dear", cost: 2 },
      { name: "cheap", cost: 1 },
    ];
    expect(order(equals, "quality-optimized")).toEqual(["cheap", "dear"]);
  });

  it("hybrid takes the one that is good at everything over the best at one thing", () => {
    expect(order(offers, "hybrid")[0]).toBe("even");
  });

  it("hybrid does not take a hair's breadth of quality for a reason to pay three times as much", () => {
    const close = [
      { name: "dear", cost: 3_000_000, model: { accuracyScore: 0.9 } },
      { name: "cheap", cost: 1_000_000, model: { accuracyScore: 0.89 } },
    ];
    expect(order(close, "hybrid")).toEqual(["cheap", "dear"]);
  });

  it.each(STRATEGIES)("%s puts the model that lists an unknown word first", (strategy) => {
    const task = normaliseTask("haiku writing");
    const poet = {
      name: "poet",
      cost: 8_000_000,
      model: { specialties: ["haiku_writing"], avgLatencyMs: 9_000 },
    };
    expect(order([...offers, poet], strategy, { task })[0]).toBe("poet");
  });

  it("weigh failures against speed and quality as well, not against cost alone", () => {
    const health = { calls: 30, errorRate: 0.5 };
    const fast = { name: "flaky", cost: 1, health, model: { avgLatencyMs: 600 } };
    expect(order([fast, { name: "sound" }], "speed-optimized")).toEqual(["sound", "flaky"]);
    const good = { name: "flaky", cost: 1, health, model: { accuracyScore: 0.9 } };
    expect(order([good, { name: "sound" }], "quality-optimized")).toEqual(["sound", "flaky"]);
  });

  it.each(STRATEGIES)("%s ranks the one that fails often behind its sound twin", (strategy) => {
    const twins = [{ name: "flaky", health: { calls: 30, errorRate: 0.4 } }, { name: "sound" }];
    expect(order(twins, strategy)).toEqual(["sound", "flaky"]);
  });
});

describe("money", () => {
  it("leaves out what the balance or the budget can't cover, and says so", () => {
    const offers = [
      { name: "a", cost: 10 },
      { name: "b", cost: 20 },
      { name: "c", cost: 30 },
    ];
    const route = choose(offers, { balance: 50n, budget: 30n }, "quality-optimized");
    expect(route.candidates.map(({ model }) => model.name)).toEqual(["a"]);
    expect(route.excluded()).toEqual([
      { model: "acme/b", reason: expect.stringContaining("budget") },
      { model: "acme/c", reason: expect.stringContaining("balance") },
    ]);
  });

  it("covers a worst case that is exactly what there is", () => {
    const route = choose([{ name: "a", cost: 10 }], { balance: 20n, budget: 20n }, "hybrid");
    expect(route.candidates).toHaveLength(1);
  });

  it("says what is needed and what there is", () => {
    const offers = [
      { name: "a", cost: 2_000_000_000 },
      { name: "b", cost: 1_000_000_000 },
    ];
    const fault = refusal(offers, 500_000_000n);
    expect(fault.type).toBe("insufficient_balance");
    expect(fault.message).toContain("2 credits");
    expect(fault.message).toContain("0.5 credits");
  });

  it("blames the budget only where the balance would do", () => {
    expect(refusal([{ name: "a", cost: 10 }], 100n, 5n).type).toBe("budget_exceeded");
    expect(refusal([{ name: "a", cost: 10 }], 10n, 5n).type).toBe("insufficient_balance");
    expect(
      refusal(
        [
          { name: "a", cost: 10 },
          { name: "b", cost: 100 },
        ],
        50n,
        5n,
      ).type,
    ).toBe("budget_exceeded");
    expect(refusal([{ name: "a", cost: 10 }], 100n, -5n).message).toContain("0 credits left");
  });

  it("never refuses what costs nothing", () => {
    const route = choose([{ name: "a", cost: 0 }], { balance: 0n, budget: -1n }, "hybrid");
    expect(route.candidates).toHaveLength(1);
  });
});

describe("any route", () => {
  const offer = fc.record({
    cost: fc.nat(1_000_000),
    health: fc.record({ errorRate: fc.double({ min: 0, max: 1, noNaN: true }), calls: fc.nat(100) }),
    model: fc.record({
      accuracyScore: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      avgLatencyMs: fc.option(fc.nat(10_000), { nil: undefined }),
      capabilities: fc.subarray(["chat", "coding", "haiku"]),
    }),
  });
  const offers = fc
    .array(offer, { minLength: 1, maxLength: 12 })
    .map((all) => all.map((one, index) => ({ ...one, name: `m${index}` })));
  const strategy = fc.constantFrom(...STRATEGIES);
  const task = fc.constantFrom("chat", "code", "haiku").map(normaliseTask);

  it("is the eligible models in another order, nothing lost and nothing twice", () => {
    fc.assert(
      fc.property(offers, strategy, task, (all, chosen, word) => {
        expect(order(all, chosen, { task: word }).toSorted()).toEqual(all.map(({ name }) => name).toSorted());
      }),
    );
  });

  it("holds only what the funds cover, and accounts for the rest", () => {
    const funds = fc.record({
      balance: fc.bigInt(-10n, 1_500_000n),
      budget: fc.option(fc.bigInt(-10n, 1_500_000n), { nil: undefined }),
    });
    fc.assert(
      fc.property(offers, strategy, funds, (all, chosen, { balance, budget }) => {
        const covers = (worst: bigint) => worst === 0n || (worst <= balance && worst <= (budget ?? balance));
        const affordable = all.filter(({ cost }) => covers(BigInt(cost) * 2n));
        const attempt = () => choose(all, { balance, budget }, chosen);
        if (affordable.length === 0) {
          expect(attempt).toThrow(Fault);
          return;
        }
        const route = attempt();
        expect(route.candidates.every(({ quote }) => covers(quote.worst))).toBe(true);
        expect(route.candidates).toHaveLength(affordable.length);
        expect(route.candidates.length + route.excluded().length).toBe(all.length);
      }),
    );
  });

  it("keeps the order of the tiers, whatever the strategy thinks of them", () => {
    fc.assert(
      fc.property(offers, strategy, (all, chosen) => {
        const [first, ...fallbacks] = all.map(({ name }) => name);
        expect(order(all, chosen, { model: first, fallbacks })).toEqual([first, ...fallbacks]);
      }),
    );
  });

  it("puts a model that is at least as good in everything before one that is worse in everything", () => {
    fc.assert(
      fc.property(offers, strategy, (all, chosen) => {
        const [one] = all;
        if (one === undefined) return;
        const better = {
          ...one,
          name: "better",
          cost: one.cost,
          health: { ...one.health, errorRate: 0 },
          model: { ...one.model, accuracyScore: 1, avgLatencyMs: 0 },
        };
        const worse = {
          ...better,
          name: "worse",
          cost: one.cost + 1,
          model: { ...one.model, accuracyScore: 0.1, avgLatencyMs: 5_000 },
        };
        const names = order([worse, ...all, better], chosen);
        expect(names.indexOf("better")).toBeLessThan(names.indexOf("worse"));
      }),
    );
  });
});
