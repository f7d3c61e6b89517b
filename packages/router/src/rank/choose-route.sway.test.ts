import type { Inference, Strategy } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { createSeededRandom } from "@trunkline/core/random.ts";
import type { Health, Route } from "@trunkline/core/route.ts";
import { find, sampleHealth, sampleModel, samplePolicy, sampleQuote } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { metadataPredictor } from "../predict/metadata-predictor.ts";
import { chooseRoute, NO_TIEBREAK, type Tiebreak } from "./choose-route.ts";

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
  const policy = { ...samplePolicy(strategy), qualityFloor };
  return chooseRoute(
    eligibleOf(offers, inference),
    RICH,
    inference.model === undefined ? policy : { ...policy, chosenBy: "name" as const },
    { ...CURIOUS, ...swayed },
  );
}

const orderOf = ({ candidates }: Route) => candidates.map(({ model }) => fullNameOf(model));

describe("a session", () => {
  const offers: Offers = { "a/cheap": {}, "a/mid": { cost: 2_000 }, "a/dear": { cost: 9_000 } };

  it("stays with its model, which is put first and says so; the others follow as they were", () => {
    const route = choose(offers, { sessionModel: "a/dear" });
    expect(orderOf(route)).toEqual(["a/dear", "a/cheap", "a/mid"]);
    expect(route.stickyTo).toBe("a/dear");
    expect(route.candidates[0].reasons).toContain("stays with its session's model");
    expect(route.candidates[1]?.reasons).not.toContain("stays with its session's model");
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
  ])("is served by others where its model %s", (_, change) => {
    const route = choose({ ...offers, "a/dear": change }, { sessionModel: "a/dear" });
    expect(orderOf(route)).toEqual(["a/cheap", "a/mid"]);
    expect(route.stickyTo).toBeUndefined();
  });

  it("leaves a model below the floor of quality as soon as one above it can serve", () => {
    const poor: Offers = { "a/good": { cost: 9_000 }, "a/poor": { accuracyScore: 0.5 } };
    const session = { sessionModel: "a/poor", qualityFloor: 0.6 };
    expect(choose(poor, session).stickyTo).toBeUndefined();
    expect(choose({ "a/poor": { accuracyScore: 0.5 } }, session).stickyTo).toBe("a/poor");
    expect(choose(poor, { ...session, qualityFloor: 0.5 }).stickyTo).toBe("a/poor");
  });

  it.each([
    [1_500, "a/dear"],
    [1_501, undefined],
  ])(
    "that was not asked for by name holds up to one and a half times the best's cost: %d",
    (cost, stickyTo) => {
      const implied = { sessionModel: "a/dear", sessionIsImplied: true };
      expect(choose({ "a/cheap": {}, "a/dear": { cost } }, implied).stickyTo).toBe(stickyTo);
    },
  );

  it("is served by others where its model is gone, or only looks like one that is there", () => {
    for (const sessionModel of ["a/gone", "a/chea", "/cheap", "ab/heap", "a-cheap"]) {
      expect(choose(offers, { sessionModel }).stickyTo).toBeUndefined();
    }
  });

  it("tries nothing out once it has a model", () => {
    const near: Offers = { "a/x": {}, "a/y": {} };
    const route = choose(near, { sessionModel: "a/x", exploration: 1 });
    expect(orderOf(route)).toEqual(["a/x", "a/y"]);
    expect(route).not.toHaveProperty("explored");
    expect(route).not.toHaveProperty("propensity");
  });
});

describe("trying out", () => {
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

  it("happens in at most a twentieth of the requests, with near-equals alone, as likely as it says", () => {
    const random = createSeededRandom("trying out");
    const candidatePool = eligibleOf(NEAR);
    const mistold: string[] = [];
    const counts = new Map<string, { times: number; propensity: number | undefined }>();
    for (let index = 0; index < REQUESTS; index++) {
      const route = chooseRoute(candidatePool, RICH, samplePolicy("cost-optimized"), { ...CURIOUS, random });
      const [first = ""] = orderOf(route);
      const { propensity, explored: exploration } = route;
      const isTold =
        exploration === undefined
          ? first === "a/first"
          : exploration.insteadOf === "a/first" &&
            exploration.propensity === propensity &&
            first !== "a/first";
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

  it("tells how likely the whole choice was where equals draw for the first place as well", () => {
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

  it("puts the one that is tried first, keeps the others as they were, and says so", () => {
    const draws = [0.01, 0];
    const route = choose(NEAR, { random: () => draws.shift() ?? 0 });
    expect(orderOf(route).slice(0, 2)).toEqual(["a/new", "a/first"]);
    expect(orderOf(route).toSorted()).toEqual(Object.keys(NEAR).toSorted());
    expect(route.candidates[0].reasons).toContain("tried in the place of its near-equal a/first");
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

  it("never goes below the floor of quality", () => {
    const low: Offers = { "a/x": { accuracyScore: 0.46 }, "a/y": { accuracyScore: 0.44 } };
    expect(choose(low, { qualityFloor: 0.45 }).explored).toBeUndefined();
    expect(choose(low, { qualityFloor: 0.43 }).explored).toBeDefined();
    // With many outcomes behind it, the lower bound counts: 0.44 less 0.15.
    const known = { ...low, "a/y": { accuracyScore: 0.44, evidence: 2_000 } };
    expect(choose(known, { qualityFloor: 0.3 }).explored).toBeUndefined();
    expect(choose(known, { qualityFloor: 0.28 }).explored).toBeDefined();
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
  ])("never happens %s, and no likelihood is told", (_, tiebreak, inference, offers) => {
    const route = choose(offers, { random: () => 0, ...tiebreak }, inference);
    expect(orderOf(route)[0]).toBe("a/x");
    expect(route.explored).toBeUndefined();
    expect(route.propensity).toBeUndefined();
  });
});
