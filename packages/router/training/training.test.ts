import { groupNearDuplicates, randomFromSeed } from "@trunkline/core/sampling.ts";
import { describe, expect, it } from "vitest";
import { encodeRouterWeights } from "../src/predict/router-weights.ts";
import { fitAbilities } from "./fit-abilities.ts";
import { fitWeights } from "./fit-weights.ts";
import { measurePair, measurePool, upperHull } from "./routing-metrics.ts";
import { type Example, extractTrainingFeatures } from "./training-data.ts";

function examples(): Example[] {
  const random = randomFromSeed(5);
  return Array.from({ length: 60 }, (_, at) => {
    const prompt = at % 2 === 0 ? `What is ${at} plus ${at * 3}?` : `Who wrote book number ${at}?`;
    const outcome = (model: string, score: number) => ({
      model,
      score,
      cost: 0.001,
      tokensIn: 10,
      tokensOut: 20 + at,
    });
    return {
      id: String(at),
      prompt,
      pool: "p",
      domain: at % 2 === 0 ? "grade-school maths" : "facts",
      family: at % 2 === 0 ? "maths" : "facts",
      outcomes: [outcome("good", random() < 0.9 ? 1 : 0), outcome("bad", random() < 0.3 ? 1 : 0)],
      features: extractTrainingFeatures(prompt),
      group: at,
    };
  });
}

describe("the training", () => {
  const weights = fitWeights(examples());

  it("gives the same bytes for the same examples", () => {
    const again = fitWeights(examples());
    expect(Buffer.compare(encodeRouterWeights(weights), encodeRouterWeights(again))).toBe(0);
  });

  it("ranks the better model higher where it has outcomes, and gives no ability elsewhere", () => {
    const { domains, models, abilities } = weights;
    const ability = (model: string, domain: string) =>
      abilities[
        models.findIndex(({ name }) => name === model) * domains.length +
          domains.findIndex(({ name }) => name === domain)
      ];
    expect(ability("good", "grade-school maths")).toBeGreaterThan((ability("bad", "grade-school maths") ?? 9) + 1);
    expect(ability("good", "law")).toBeNaN();
  });

  it("is not reversed by a few outcomes in one domain against many in its family", () => {
    const asked = (domain: string, count: number, scores: (at: number) => readonly [number, number]) =>
      Array.from({ length: count }, (_, at): Example => {
        const [good, bad] = scores(at);
        const outcome = { cost: undefined, tokensIn: undefined, tokensOut: undefined };
        return {
          id: `${domain} ${at}`,
          prompt: "",
          pool: "p",
          domain,
          family: "facts",
          outcomes: [
            { ...outcome, model: "good", score: good },
            { ...outcome, model: "bad", score: bad },
          ],
          features: extractTrainingFeatures(""),
          group: at,
        };
      });
    const { abilities } = fitAbilities(
      [...asked("facts", 300, (at) => [at % 5 === 0 ? 0 : 1, at % 5 < 2 ? 1 : 0]), ...asked("trivia", 8, () => [0, 1])],
      {
        domains: ["facts", "trivia"],
        families: ["facts"],
        familyOf: [0, 0],
        models: ["good", "bad"],
        claims: [0.7, 0.7],
      },
    );
    expect(abilities.get(0, 1)).toBeGreaterThan(abilities.get(1, 1) + 0.5);
    expect(abilities.get(0, 1) - abilities.get(1, 1)).toBeLessThan(abilities.get(0, 0) - abilities.get(1, 0) - 0.2);
  });

  it("groups near-duplicates", () => {
    const run = "one two three four five six seven eight nine";
    expect(groupNearDuplicates([`${run} ten`, "quite another text", `Zero, ${run}!`])).toEqual([0, 1, 0]);
  });
});

describe("measurePair", () => {
  const cases = [
    { strong: 1, weak: 0, rank: 0.9 },
    { strong: 1, weak: 1, rank: 0.2 },
    { strong: 1, weak: 0, rank: 0.8 },
    { strong: 0, weak: 0, rank: 0.1 },
  ];

  it("equals the result by hand", () => {
    // The first and the second of four calls recover half and all of the gap.
    expect(measurePair(cases, 4)).toEqual({ apgr: 0.75, cpt50: 0.25, cpt80: expect.closeTo(0.4, 10) });
  });

  it("equals chance where all ranks are equal", () => {
    expect(
      measurePair(
        cases.map((one) => ({ ...one, rank: 0 })),
        4,
      ),
    ).toEqual({ apgr: 0.5, cpt50: 0.5, cpt80: 0.8 });
  });
});

describe("measurePool", () => {
  const answer = (score: number, cost: number, predictedScore: number) => ({
    score,
    cost,
    predictedScore,
    predictedCost: cost,
  });
  const cheapWins = [answer(1, 1, 0.9), answer(0, 3, 0.2)];
  const dearWins = [answer(0, 1, 0.1), answer(1, 3, 0.9)];

  it("equals the result by hand", () => {
    // Alone both models are right in half of the cases. Routed, all are right at a cost of 2; at less, in between.
    const { area, areaWithout, saved, qualityGain } = measurePool([cheapWins, dearWins]);
    expect(areaWithout).toBeCloseTo(0.5, 10);
    expect(area).toBeCloseTo(0.875, 3);
    expect(saved).toBeCloseTo(0, 10);
    expect(qualityGain).toBeCloseTo(1, 10);
  });

  it("leaves out points that a mixture of others beats", () => {
    const point = (cost: number, quality: number) => ({ cost, quality });
    expect(upperHull([point(1, 0.2), point(2, 0.25), point(3, 0.6), point(4, 0.5)])).toEqual([
      point(1, 0.2),
      point(3, 0.6),
    ]);
  });
});
