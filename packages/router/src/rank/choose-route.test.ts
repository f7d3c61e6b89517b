import { Fault } from "@trunkline/core/fault.ts";
import { type Inference, normaliseTask, STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { createSeededRandom } from "@trunkline/core/random.ts";
import type { Health, Quote, Route } from "@trunkline/core/route.ts";
import {
  faultOf,
  find,
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
import { metadataPredictor } from "../predict/predictor.ts";
import { chooseRoute, NO_TIEBREAK, type SpendableFunds, type Tiebreak } from "./choose-route.ts";

describe("choose-route", () => {
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
    return route.ranking.map(({ candidate }) => candidate.model.name);
  }

  function refusal(offers: readonly Offer[], balance: bigint, budget?: bigint): Fault {
    return faultOf(() => choose(offers, { balance, budget }, "cost-optimized"));
  }

  describe("cost-optimized", () => {
    it("takes the cheapest, then the better, then the faster", () => {
      const offers = [
        { name: "dear", cost: 3_000, model: { accuracyScore: 1, avgLatencyMs: 1 } },
        { name: "slow", cost: 2_000, model: { accuracyScore: 0.9, avgLatencyMs: 900 } },
        { name: "poor", cost: 2_000, model: { accuracyScore: 0.6, avgLatencyMs: 1 } },
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

    it("uses the provider's cost_efficiency only between equal candidates", () => {
      const offers = [
        { name: "low", model: { costEfficiency: "low" } },
        { name: "high", model: { costEfficiency: "high" } },
        { name: "cheap", cost: 1, model: { costEfficiency: "low" } },
      ];
      expect(order(offers, "cost-optimized")).toEqual(["cheap", "high", "low"]);
    });

    it("counts the expected calls: half the price does not pay if three of four calls fail", () => {
      const offers = [
        { name: "flaky", cost: 500, health: { calls: 40, errorRate: 0.75 } },
        { name: "sound", cost: 1_000 },
      ];
      expect(order(offers, "cost-optimized")).toEqual(["sound", "flaky"]);
    });

    it("ignores a few failures", () => {
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

    it("hybrid prefers a candidate that is good at everything to the best at one thing", () => {
      expect(order(offers, "hybrid")[0]).toBe("even");
    });

    it("hybrid does not pay three times as much for a tiny difference in quality", () => {
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

    it("count failures for speed and quality too", () => {
      const health = { calls: 30, errorRate: 0.5 };
      const fast = { name: "flaky", cost: 1, health, model: { avgLatencyMs: 600 } };
      expect(order([fast, { name: "sound" }], "speed-optimized")).toEqual(["sound", "flaky"]);
      const good = { name: "flaky", cost: 1, health, model: { accuracyScore: 0.9 } };
      expect(order([good, { name: "sound" }], "quality-optimized")).toEqual(["sound", "flaky"]);
    });

    it.each(STRATEGIES)("%s ranks an endpoint that fails often behind a healthy one", (strategy) => {
      const twins = [{ name: "flaky", health: { calls: 30, errorRate: 0.4 } }, { name: "sound" }];
      expect(order(twins, strategy)).toEqual(["sound", "flaky"]);
    });
  });

  describe("money", () => {
    it("excludes candidates that the balance or the budget can't cover, with the reason", () => {
      const offers = [
        { name: "a", cost: 10 },
        { name: "b", cost: 20 },
        { name: "c", cost: 30 },
      ];
      const route = choose(offers, { balance: 50n, budget: 30n }, "quality-optimized");
      expect(route.ranking.map(({ candidate }) => candidate.model.name)).toEqual(["a"]);
      expect(route.excluded()).toEqual([
        { model: "acme/b", reason: expect.stringContaining("budget") },
        { model: "acme/c", reason: expect.stringContaining("balance") },
      ]);
    });

    it("accepts a worst case that equals the funds", () => {
      const route = choose([{ name: "a", cost: 10 }], { balance: 20n, budget: 20n }, "hybrid");
      expect(route.ranking).toHaveLength(1);
    });

    it("names the needed and the available amount", () => {
      const offers = [
        { name: "a", cost: 2_000_000_000 },
        { name: "b", cost: 1_000_000_000 },
      ];
      const fault = refusal(offers, 500_000_000n);
      expect(fault.type).toBe("insufficient_balance");
      expect(fault.message).toContain("2 credits");
      expect(fault.message).toContain("0.5 credits");
    });

    it("names the budget only where the balance would suffice", () => {
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

    it("never refuses a free model", () => {
      const route = choose([{ name: "a", cost: 0 }], { balance: 0n, budget: -1n }, "hybrid");
      expect(route.ranking).toHaveLength(1);
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

    it("contains each candidate once", () => {
      fc.assert(
        fc.property(offers, strategy, task, (all, chosen, word) => {
          expect(order(all, chosen, { task: word }).toSorted()).toEqual(all.map(({ name }) => name).toSorted());
        }),
      );
    });

    it("contains only what the funds cover, and excludes the rest", () => {
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
          expect(route.ranking.every(({ candidate }) => covers(candidate.quote.worst))).toBe(true);
          expect(route.ranking).toHaveLength(affordable.length);
          expect(route.ranking.length + route.excluded().length).toBe(all.length);
        }),
      );
    });

    it("keeps the order of the tiers with every strategy", () => {
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
});

describe("chooseRoute with a tiebreak", () => {
  interface Offer extends Partial<Model> {
    readonly cost?: number;
    readonly evidence?: number;
    readonly health?: Partial<Health>;
  }
  type Offers = Readonly<Record<string, Offer>>;

  const RICH = { balance: 10n ** 18n, budget: undefined };
  const CURIOUS: Tiebreak = { ...NO_TIEBREAK, exploration: 0.05, frozen: false };
  const REQUESTS = 10_000;

  function eligibleOf(offers: Offers, inference: Partial<Inference> = {}) {
    const models = Object.entries(offers).map(
      ([name, { cost: _cost, evidence: _evidence, health: _health, ...model }]) => sampleModel(name, model),
    );
    return find(models, inference, {
      healthOf: ({ id }) => sampleHealth(offers[id]?.health),
      quoteOf: ({ id }) => sampleQuote(BigInt(offers[id]?.cost ?? 1_000)),
      predictor: {
        ...metadataPredictor,
        predict: (model, promptFeatures, fit, accountId) => ({
          ...metadataPredictor.predict(model, promptFeatures, fit, accountId),
          evidence: offers[model.id]?.evidence ?? 0,
        }),
      },
    });
  }

  function choose(
    offers: Offers,
    tiebreak: Partial<Tiebreak> & { readonly qualityFloor?: number },
    { strategy = "cost-optimized", ...inference }: Partial<Inference> = {},
  ): Route {
    const { qualityFloor = 0.3, ...swayed } = tiebreak;
    const policy = { ...samplePolicy(strategy), qualityFloor, floorSetBy: "account" as const };
    return chooseRoute(
      eligibleOf(offers, inference),
      RICH,
      inference.model === undefined ? policy : { ...policy, chosenBy: "name" as const },
      { ...CURIOUS, ...swayed },
    );
  }

  const orderOf = ({ ranking }: Route) => ranking.map(({ candidate }) => fullNameOf(candidate.model));

  describe("a session", () => {
    const offers: Offers = { "a/cheap": {}, "a/mid": { cost: 2_000 }, "a/dear": { cost: 9_000 } };

    it("keeps its model first, with a reason; the others keep their order", () => {
      const route = choose(offers, { sessionModel: "a/dear" });
      expect(orderOf(route)).toEqual(["a/dear", "a/cheap", "a/mid"]);
      expect(route.stickyTo).toBe("a/dear");
      expect(route.ranking[0].reasons).toContain("stays with its session's model");
      expect(route.ranking[1]?.reasons).not.toContain("stays with its session's model");
      expect(route.propensity).toBeUndefined();
    });

    it("stays with one provider of a named model", () => {
      const equals: Offers = { "a/x": {}, "b/x": {} };
      const random = () => 0;
      expect(orderOf(choose(equals, { sessionModel: "b/x", random }, { model: "x" }))).toEqual(["b/x", "a/x"]);
      expect(orderOf(choose(equals, { sessionModel: "a/x", random: () => 0.9 }, { model: "x" }))).toEqual([
        "a/x",
        "b/x",
      ]);
    });

    it("moves its model no further than to the front of its tier", () => {
      const named = { model: "cheap", fallbacks: ["mid", "dear"] };
      const route = choose({ ...offers, "b/dear": { cost: 9_500 } }, { sessionModel: "b/dear" }, named);
      expect(orderOf(route)).toEqual(["a/cheap", "a/mid", "b/dear", "a/dear"]);
      expect(route.stickyTo).toBe("b/dear");
    });

    it.each<[string, Offer]>([
      ["is down", { health: { available: false } }],
      ["is suspended", { state: "suspended" }],
      ["is too small now", { contextWindow: 5 }],
      ["can't be paid", { cost: 10 ** 18 }],
    ])("is served by other models where its model %s", (_, change) => {
      const route = choose({ ...offers, "a/dear": change }, { sessionModel: "a/dear" });
      expect(orderOf(route)).toEqual(["a/cheap", "a/mid"]);
      expect(route.stickyTo).toBeUndefined();
    });

    it("gives way to a strategy that the request names, except among equals", () => {
      const session = { sessionModel: "a/dear", strategyIsNamed: true };
      expect(choose(offers, session).stickyTo).toBeUndefined();
      const equals: Offers = { "a/x": {}, "b/x": {} };
      expect(choose(equals, { ...session, sessionModel: "b/x" }).stickyTo).toBe("b/x");
    });

    it("leaves a model below the quality floor as soon as one above it can serve", () => {
      const poor: Offers = { "a/good": { cost: 9_000 }, "a/poor": { accuracyScore: 0.5 } };
      const session = { sessionModel: "a/poor", qualityFloor: 0.6 };
      expect(choose(poor, session).stickyTo).toBeUndefined();
      expect(choose({ "a/poor": { accuracyScore: 0.5 } }, session).stickyTo).toBe("a/poor");
      expect(choose(poor, { ...session, qualityFloor: 0.5 }).stickyTo).toBe("a/poor");
    });

    it.each([
      [1_500, "a/dear"],
      [1_501, undefined],
    ])("that is implied accepts up to one and a half times the best's cost: %d", (cost, stickyTo) => {
      const implied = { sessionModel: "a/dear", sessionIsImplied: true };
      expect(choose({ "a/cheap": {}, "a/dear": { cost } }, implied).stickyTo).toBe(stickyTo);
    });

    it("is served by other models where its model was removed, or only has a similar name", () => {
      for (const sessionModel of ["a/gone", "a/chea", "/cheap", "ab/heap", "a-cheap"]) {
        expect(choose(offers, { sessionModel }).stickyTo).toBeUndefined();
      }
    });

    it("explores nothing once it has a model", () => {
      const near: Offers = { "a/x": {}, "a/y": {} };
      const route = choose(near, { sessionModel: "a/x", exploration: 1 });
      expect(orderOf(route)).toEqual(["a/x", "a/y"]);
      expect(route.explored).toBeUndefined();
      expect(route.propensity).toBeUndefined();
    });
  });

  describe("exploration", () => {
    const NEAR: Offers = {
      "a/first": { evidence: 50 },
      "a/new": { cost: 1_100 },
      "a/known": { cost: 1_150, evidence: 9 },
      "a/dear": { cost: 1_300 },
      "a/poor": { cost: 1_100, accuracyScore: 0.7 },
      "a/slow": { cost: 1_100, avgLatencyMs: 2_500 },
      "a/flaky": { cost: 1_001, health: { calls: 30, errorRate: 0.15 } },
      "a/spare": { cost: 1_100, weight: 0 },
    };

    it("happens in at most a twentieth of the requests, only with near-equals, with the stated probability", () => {
      const random = createSeededRandom("trying out");
      const candidatePool = eligibleOf(NEAR);
      const mistold: string[] = [];
      const counts = new Map<string, { times: number; propensity: number | undefined }>();
      for (let index = 0; index < REQUESTS; index++) {
        const route = chooseRoute(candidatePool, RICH, samplePolicy("cost-optimized"), {
          ...CURIOUS,
          random,
        });
        const [first = ""] = orderOf(route);
        const { propensity, explored: exploration } = route;
        const isTold =
          exploration === undefined
            ? first === "a/first"
            : exploration.insteadOf === "a/first" && exploration.propensity === propensity && first !== "a/first";
        if (!isTold) mistold.push(first);
        counts.set(first, { times: (counts.get(first)?.times ?? 0) + 1, propensity });
      }
      expect(mistold).toEqual([]);
      expect([...counts.keys()].toSorted()).toEqual(["a/first", "a/known", "a/new"]);
      const explored = REQUESTS - (counts.get("a/first")?.times ?? 0);
      expect(explored / REQUESTS).toBeLessThan(0.055);
      expect(explored / REQUESTS).toBeGreaterThan(0.04);
      let all = 0;
      for (const [name, { times, propensity = 0 }] of counts) {
        all += propensity;
        // Four standard errors of a share.
        const tolerance = 4 * Math.sqrt((propensity * (1 - propensity)) / REQUESTS);
        expect(Math.abs(times / REQUESTS - propensity), name).toBeLessThan(tolerance);
      }
      expect(all).toBeCloseTo(1, 12);
      expect(counts.get("a/new")?.propensity).toBeCloseTo((0.05 * 10) / 11, 12);
    });

    it("gives the probability of the whole choice where equal providers also draw", () => {
      const offers: Offers = { "a/x": { weight: 3 }, "b/x": {}, "a/y": {} };
      const chances = new Map<string, number | undefined>();
      const random = createSeededRandom("both");
      for (let index = 0; index < 2_000; index++) {
        const route = choose(offers, { random });
        const [first = ""] = orderOf(route);
        chances.set(first, route.propensity);
        if (route.explored !== undefined) expect(["a/x", "b/x"]).toContain(route.explored.insteadOf);
      }
      expect(chances.get("a/x")).toBeCloseTo(0.75 * 0.95, 12);
      expect(chances.get("b/x")).toBeCloseTo(0.25 * 0.95, 12);
      expect(chances.get("a/y")).toBeCloseTo(0.05, 12);
    });

    it("moves the explored candidate to the first place, keeps the order of the others, and gives the reason", () => {
      const draws = [0.01, 0];
      const route = choose(NEAR, { random: () => draws.shift() ?? 0 });
      expect(orderOf(route).slice(0, 2)).toEqual(["a/new", "a/first"]);
      expect(orderOf(route).toSorted()).toEqual(Object.keys(NEAR).toSorted());
      expect(route.ranking[0].reasons).toContain("tried in the place of its near-equal a/first");
    });

    it.each<[Strategy, Offer, boolean]>([
      ["speed-optimized", { avgLatencyMs: 1_190 }, true],
      ["speed-optimized", { avgLatencyMs: 1_210 }, false],
      ["hybrid", { avgLatencyMs: 1_190 }, true],
      ["hybrid", { avgLatencyMs: 1_210 }, false],
      ["quality-optimized", { accuracyScore: 0.771 }, true],
      ["quality-optimized", { accuracyScore: 0.769 }, false],
      ["quality-optimized", { accuracyScore: 0.79, cost: 1_210 }, false],
      ["quality-optimized", { avgLatencyMs: 1_900 }, true],
      ["cost-optimized", { avgLatencyMs: 1_900, cost: 1_190 }, true],
      ["cost-optimized", { avgLatencyMs: 2_100 }, false],
    ])("under %s, of one with %j: %s", (strategy, other, isNear) => {
      const route = choose({ "a/best": {}, "a/other": other }, { random: () => 0 }, { strategy });
      expect(route.explored?.insteadOf).toBe(isNear ? "a/best" : undefined);
      expect(orderOf(route)[0]).toBe(isNear ? "a/other" : "a/best");
    });

    it("never goes below the quality floor", () => {
      const low: Offers = { "a/x": { accuracyScore: 0.46 }, "a/y": { accuracyScore: 0.44 } };
      expect(choose(low, { qualityFloor: 0.45 }).explored).toBeUndefined();
      expect(choose(low, { qualityFloor: 0.43 }).explored).toBeDefined();
    });

    const TWO: Offers = { "a/x": {}, "a/y": {} };
    it.each<[string, Partial<Tiebreak>, Partial<Inference>, Offers]>([
      ["where it is turned off", { exploration: 0 }, {}, TWO],
      ["while nothing is learnt", { frozen: true }, {}, TWO],
      ["with a named model", {}, { model: "x", fallbacks: ["y"] }, TWO],
      ["with a single model", {}, {}, { "a/x": {} }],
      ["while the best is failing", {}, {}, { "a/x": { health: { errorRate: 0.2 } } }],
      [
        "as a last resort",
        {},
        {},
        { "a/x": { health: { available: false } }, "a/y": { health: { available: false } } },
      ],
    ])("never happens %s, without a propensity", (_, tiebreak, inference, offers) => {
      const route = choose(offers, { random: () => 0, ...tiebreak }, inference);
      expect(orderOf(route)[0]).toBe("a/x");
      expect(route.explored).toBeUndefined();
      expect(route.propensity).toBeUndefined();
    });
  });
});
