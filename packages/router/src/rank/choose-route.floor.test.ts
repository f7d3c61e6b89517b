import type { Prediction } from "@trunkline/core/prediction.ts";
import { sampleModel, samplePolicy, sampleQuote, sampleSearch } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { findCandidates } from "../candidates/find-candidates.ts";
import { metadataPredictor } from "../predict/predictor.ts";
import { chooseRoute } from "./choose-route.ts";

interface Offer extends Prediction {
  readonly name: string;
  readonly cost: bigint;
}

const SOUND: Offer = { name: "sound", cost: 1_000n, quality: 0.6, lower: 0.5, evidence: 40 };
const RICH = { balance: 10n ** 18n, budget: undefined };

function candidatesOf(...offers: readonly Offer[]) {
  const find = (id: string) => offers.find(({ name }) => `acme/${name}` === id) ?? SOUND;
  const search = sampleSearch(
    offers.map(({ name, evidence, quality }) =>
      sampleModel(`acme/${name}`, { accuracyScore: evidence === 0 ? quality : 0.5 }),
    ),
    {
      predictor: { ...metadataPredictor, predict: ({ id }) => find(id) },
      quoteOf: ({ id }) => sampleQuote(find(id).cost),
    },
  );
  return chooseRoute(findCandidates(search), RICH, samplePolicy("cost-optimized")).candidates;
}

describe("the floor of quality", () => {
  it("is held against the lower bound: what may be bad comes after what surely is not", () => {
    const doubtful = { name: "cheap", cost: 1n, quality: 0.5, lower: 0.2, evidence: 60 };
    const candidates = candidatesOf(doubtful, SOUND);
    expect(candidates.map(({ model }) => model.name)).toEqual(["sound", "cheap"]);
    expect(candidates.map(({ clearsFloor }) => clearsFloor)).toEqual([true, false]);
    expect(candidates[1]?.reasons).toContain(
      "its quality may be as low as 0.20, below the floor of 0.30: after all that clear it",
    );
  });

  it("takes a claim at its word where there is nothing else", () => {
    const claim = (quality: number) => ({
      name: "cheap",
      cost: 1n,
      quality,
      lower: quality - 0.15,
      evidence: 0,
    });
    expect(candidatesOf(SOUND, claim(0.4))[0].model.name).toBe("cheap");
    const [first, second] = candidatesOf(SOUND, claim(0.2));
    expect(first.model.name).toBe("sound");
    expect(second?.reasons).toContain(
      "its claimed quality of 0.20 is below the floor of 0.30: after all that clear it",
    );
  });

  it("is not held against how hard a request is, where there is nothing but claims", () => {
    const search = sampleSearch([sampleModel("acme/modest", { accuracyScore: 0.5 }), sampleModel("acme/bold")], {
      predictor: { ...metadataPredictor, predict: () => ({ quality: 0.1, lower: 0, evidence: 0 }) },
      quoteOf: ({ id }) => sampleQuote(id === "acme/modest" ? 1n : 9n),
    });
    const [first] = chooseRoute(findCandidates(search), RICH, samplePolicy("cost-optimized")).candidates;
    expect(first).toMatchObject({ model: { name: "modest" }, clearsFloor: true });
  });

  it("never leaves a request without a model", () => {
    expect(candidatesOf({ name: "poor", cost: 1n, quality: 0.1, lower: 0, evidence: 9 })).toHaveLength(1);
  });
});
