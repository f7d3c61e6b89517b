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
const FLOOR = samplePolicy("cost-optimized").qualityFloor;
const RICH = { balance: 10n ** 18n, budget: undefined };

function rankingOf(...offers: readonly Offer[]) {
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
  return chooseRoute(findCandidates(search), RICH, samplePolicy("cost-optimized")).ranking;
}

describe("the quality floor", () => {
  it("is compared with the lower bound, so that a doubtful model comes after a sure one", () => {
    const doubtful = { name: "cheap", cost: 1n, quality: 0.5, lower: 0.2, evidence: 60 };
    const ranking = rankingOf(doubtful, SOUND);
    expect(ranking.map(({ candidate }) => candidate.model.name)).toEqual(["sound", "cheap"]);
    expect(ranking.map(({ candidate }) => candidate.sureQuality >= FLOOR)).toEqual([true, false]);
    expect(ranking[1]?.reasons).toContain(
      "its quality may be as low as 0.20, below the floor of 0.30: after all that clear it",
    );
  });

  it("is compared with the claim of a model without outcomes", () => {
    const claim = (quality: number) => ({
      name: "cheap",
      cost: 1n,
      quality,
      lower: quality - 0.15,
      evidence: 0,
    });
    expect(rankingOf(SOUND, claim(0.4))[0].candidate.model.name).toBe("cheap");
    const [first, second] = rankingOf(SOUND, claim(0.2));
    expect(first.candidate.model.name).toBe("sound");
    expect(second?.reasons).toContain(
      "its claimed quality of 0.20 is below the floor of 0.30: after all that clear it",
    );
  });

  it("ignores how hard the request is for a model without outcomes", () => {
    const search = sampleSearch([sampleModel("acme/modest", { accuracyScore: 0.5 }), sampleModel("acme/bold")], {
      predictor: { ...metadataPredictor, predict: () => ({ quality: 0.1, lower: 0, evidence: 0 }) },
      quoteOf: ({ id }) => sampleQuote(id === "acme/modest" ? 1n : 9n),
    });
    const [first] = chooseRoute(findCandidates(search), RICH, samplePolicy("cost-optimized")).ranking;
    expect(first.candidate.model.name).toBe("modest");
    expect(first.candidate.sureQuality).toBeGreaterThanOrEqual(FLOOR);
  });

  it("never leaves a request without a model", () => {
    expect(rankingOf({ name: "poor", cost: 1n, quality: 0.1, lower: 0, evidence: 9 })).toHaveLength(1);
  });
});
