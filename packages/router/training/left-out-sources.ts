import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { type PredictedLine, predictPrompts, readCatalogue } from "../../../server/src/app/commands/predict.ts";
import { fitPrices } from "./fit-lengths.ts";
import { claimOf, fitWeights } from "./fit-weights.ts";
import { type EvaluationSection, poolCases } from "./held-out.ts";
import { measurePair, measurePool, type PoolCase, poolQualities } from "./routing-metrics.ts";
import { type Example, readExamples, SOURCES } from "./training-data.ts";

const RESAMPLES = 200;

/** A figure of a source that no weight was fitted on, with its 95 % interval over resampled prompts. */
export interface LeftOutFigure {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export const leftOutSection: EvaluationSection = {
  title: "Sources that were left out as a whole, with 95 % intervals over resampled prompts",
  async run({ data }) {
    return evaluateLeftOutSources(await readExamples(data))
      .map((figure) => `${figure.name.padEnd(64)} ${formatFigure(figure)}`)
      .join("\n");
  },
};

export function formatFigure({ value, low, high }: LeftOutFigure): string {
  return `${value.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`;
}

/** Fits on three sources and measures the fourth, whose models are known by their claims and by the other sources. */
export function evaluateLeftOutSources(examples: readonly Example[]): LeftOutFigure[] {
  return SOURCES.flatMap(({ pool }) => {
    const rest = examples.filter((example) => example.pool !== pool);
    const held = examples.filter((example) => example.pool === pool);
    const models = held[0]?.outcomes.map(({ model }) => model) ?? [];
    const lines = held.map(({ id, prompt }) => ({ id, prompt, task: "", outcomes: {} }));
    const routerWeights = fitWeights(rest);
    const predict = (names: readonly string[]) => {
      const catalogue = readCatalogue(names.map((name) => registrationOf(name, held)));
      return new Map(predictPrompts(routerWeights, catalogue, lines, []).map((line) => [line.id, line]));
    };
    const byClaim = models.toSorted((one, other) => claimOf(other) - claimOf(one));
    const [strong = "", weak = ""] = [byClaim[0], byClaim.at(-1)];
    const figures = [
      pairFigure(held, predict([strong, weak]), strong, weak),
      ...(models.length === 2 ? [] : poolFigures(held, predict(models), models)),
    ];
    return figures.map((figure) => ({ ...figure, name: `${pool}: ${figure.name}` }));
  });
}

/** What a provider registers of its model: its claim and its prices. */
function registrationOf(name: string, held: readonly Example[]) {
  const { inputPrice, outputPrice } = fitPrices(held, name);
  return {
    name,
    accuracy_score: claimOf(name),
    pricing: { input_per_1m_tokens: inputPrice, output_per_1m_tokens: outputPrice },
  };
}

function pairFigure(
  held: readonly Example[],
  predicted: ReadonlyMap<string, PredictedLine>,
  strong: string,
  weak: string,
): LeftOutFigure {
  const cases = held.map(({ id, outcomes }) => ({
    strong: outcomes.find(({ model }) => model === strong)?.score ?? 0,
    weak: outcomes.find(({ model }) => model === weak)?.score ?? 0,
    rank: predicted.get(id)?.route_score ?? 0,
  }));
  return withInterval(`APGR of ${strong} and ${weak}`, cases, (some) => measurePair(some).apgr);
}

function poolFigures(
  held: readonly Example[],
  predicted: ReadonlyMap<string, PredictedLine>,
  models: readonly string[],
): LeftOutFigure[] {
  const cases = poolCases(held, predicted, models);
  const claims = models.map(claimOf);
  const claimed = claims.indexOf(Math.max(...claims));
  const gain = (some: readonly PoolCase[], alone: (qualities: readonly number[]) => number) => {
    const { routed, single } = poolQualities(some);
    return routed / alone(single) - 1;
  };
  const { area, areaWithout } = measurePool(cases);
  const exactly = (name: string, value: number) => ({ name, value, low: value, high: value });
  return [
    withInterval("quality mode against the best model by claim", cases, (some) =>
      gain(some, (single) => single[claimed] ?? 0),
    ),
    withInterval("quality mode against the best model in hindsight", cases, (some) =>
      gain(some, (single) => Math.max(...single)),
    ),
    exactly("area", area),
    exactly("area without a router", areaWithout),
  ];
}

function withInterval<Case>(
  name: string,
  cases: readonly Case[],
  measure: (cases: readonly Case[]) => number,
): LeftOutFigure {
  const random = randomFromSeed(17);
  const values = Array.from({ length: RESAMPLES }, () =>
    measure(
      cases.flatMap(() => {
        const drawn = cases[Math.floor(random() * cases.length)];
        return drawn === undefined ? [] : [drawn];
      }),
    ),
  ).toSorted((one, other) => one - other);
  const at = (share: number) => values[Math.floor(share * RESAMPLES)] ?? Number.NaN;
  return { name, value: measure(cases), low: at(0.025), high: at(0.975) };
}
