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

const SOUND: Offer = { name: "sound", cost: 1_000n, quality: 0.7, lower: 0.5, evidence: 40 };
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
  it("is compared with the predicted quality, as preview and record show it", () => {
    const weak = { name: "cheap", cost: 1n, quality: 0.4, lower: 0.2, evidence: 60 };
    const ranking = rankingOf(weak, SOUND);
    expect(ranking.map(({ candidate }) => candidate.model.name)).toEqual(["sound", "cheap"]);
    expect(ranking.map(({ candidate }) => candidate.quality >= FLOOR)).toEqual([true, false]);
    expect(ranking[1]?.reasons).toContain("its quality of 0.40 is below the floor of 0.60: after all that clear it");
    expect(rankingOf({ ...weak, quality: 0.65 }, SOUND)[0].candidate.model.name).toBe("cheap");
  });

  it("never leaves a request without a model", () => {
    expect(rankingOf({ name: "poor", cost: 1n, quality: 0.1, lower: 0, evidence: 9 })).toHaveLength(1);
  });
});
