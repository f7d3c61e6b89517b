import { textInference } from "@trunkline/core/inference.ts";
import { NO_EVIDENCE } from "@trunkline/core/prediction.ts";
import { randomFromSeed } from "@trunkline/core/sampling.ts";
import {
  type CatalogueModel,
  type PredictedLine,
  predictPrompts,
  readCatalogue,
} from "../../../server/src/app/commands/predict.ts";
import { QualityPredictor } from "../src/predict/quality-predictor.ts";
import type { RouterWeights } from "../src/predict/router-weights.ts";
import { fitDomainWeights, fitWeights } from "./fit-weights.ts";
import { measurePair, measurePool, type PoolCase } from "./routing-metrics.ts";
import { type Example, readExamples } from "./training-data.ts";

/** A section of the evaluation, which returns a table to print. */
export interface EvaluationSection {
  readonly title: string;
  readonly run: (options: EvaluationOptions) => Promise<string>;
}

interface EvaluationOptions {
  /** The data folder. */
  readonly data: string;
  /** How many times the data is split differently. */
  readonly splits: number;
  /** The file for the simulation's plot. */
  readonly plot: string | undefined;
  /** The seed of the simulation's random choices. */
  readonly seed: string;
}

const FOLDS = 5;

/** Pairs of a strong and a weak model whose outcomes on grade-school maths are left out of the training. Their mean is reported. */
const PAIRS = [
  ["llama3.1-nemotron51b", "mistral7b-instruct-v0.3"],
  ["gemma2.9b", "codegemma7b"],
  ["llama3.1.8b", "llama3-chatqa1.5.70b"],
] as const;
const SCHOOL_MATHS = "grade-school maths";

/** The measured values by name, one for each split. */
export type HeldOutMetrics = Map<string, number[]>;

export const heldOutSection: EvaluationSection = {
  title: "Prompts that were held out, near-duplicates kept together",
  async run({ data, splits }) {
    const heldOutMetrics = evaluateHeldOut(await readExamples(data), splits);
    return [...heldOutMetrics].map(([name, values]) => `${name.padEnd(64)} ${formatMeanAndSpread(values)}`).join("\n");
  },
};

export function formatMeanAndSpread(values: readonly number[]): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return `${mean.toFixed(4)} ± ${spread.toFixed(4)}`;
}

/** Cross-validates in five folds and measures all predictions together. */
export function evaluateHeldOut(examples: readonly Example[], splits: number): HeldOutMetrics {
  const heldOutMetrics: HeldOutMetrics = new Map();
  const note = (name: string, value: number) => heldOutMetrics.set(name, [...(heldOutMetrics.get(name) ?? []), value]);
  for (let split = 1; split <= splits; split++) {
    const folds = assignFolds(examples, split);
    const predicted = new Map<string, PredictedLine>();
    const unlabelled = PAIRS.map(() => new Map<string, PredictedLine>());
    for (let fold = 0; fold < FOLDS; fold++) {
      const rest = examples.filter((_, at) => folds[at] !== fold);
      const held = examples.filter((_, at) => folds[at] === fold);
      const domains = fitDomainWeights(rest);
      const routerWeights = fitWeights(rest, domains);
      for (const [pool, cases] of byPool(held)) predictFold(routerWeights, modelsOf(examples, pool), cases, predicted);
      if (fold === 0) note("out of family: distance from the claim", outOfFamilyDistance(routerWeights, held));
      // Each pair needs its own weights, so this is measured once.
      PAIRS.slice(0, split === 1 ? PAIRS.length : 0).forEach((pair, at) => {
        const school = held.filter(({ domain }) => domain === SCHOOL_MATHS);
        const lines = unlabelled[at];
        if (lines !== undefined)
          predictFold(fitWeights(withoutSchoolMathsOutcomes(rest, pair), domains), pair, school, lines);
      });
    }
    for (const [pool, cases] of byPool(examples)) {
      note(`${pool}: Brier score`, brierScore(cases, predicted));
      const models = modelsOf(examples, pool);
      if (models.length === 2) recordPairMetrics(note, pool, cases, predicted, ["gpt4.1106", "mixtral8x7b"]);
      else recordPoolMetrics(note, pool, cases, predicted, models);
    }
    if (split > 1) continue;
    const school = examples.filter(({ domain }) => domain === SCHOOL_MATHS);
    PAIRS.forEach((pair, at) => {
      recordPairMetrics(note, `${SCHOOL_MATHS} without labels`, school, unlabelled[at] ?? new Map(), pair);
    });
  }
  return heldOutMetrics;
}

type RecordMetric = (name: string, value: number) => void;

/** The fold of each example. Near-duplicates are in the same fold. */
function assignFolds(examples: readonly Example[], seed: number): number[] {
  const random = randomFromSeed(seed);
  const ofGroup = new Map<number, number>();
  return examples.map(({ group }) => {
    const fold = ofGroup.get(group) ?? Math.floor(random() * FOLDS);
    ofGroup.set(group, fold);
    return fold;
  });
}

function byPool(examples: readonly Example[]): Map<string, Example[]> {
  const pools = new Map<string, Example[]>();
  for (const example of examples) pools.set(example.pool, [...(pools.get(example.pool) ?? []), example]);
  return pools;
}

function modelsOf(examples: readonly Example[], pool: string): string[] {
  return examples.find((example) => example.pool === pool)?.outcomes.map(({ model }) => model) ?? [];
}

function predictFold(
  routerWeights: RouterWeights,
  models: readonly string[],
  cases: readonly Example[],
  into: Map<string, PredictedLine>,
): void {
  const lines = cases.map(({ id, prompt }) => ({ id, prompt, task: "", outcomes: {} }));
  for (const line of predictPrompts(routerWeights, readCatalogue(models), lines, [])) into.set(line.id, line);
}

function withoutSchoolMathsOutcomes(examples: readonly Example[], models: readonly string[]): Example[] {
  return examples.map((example) =>
    example.domain === SCHOOL_MATHS
      ? { ...example, outcomes: example.outcomes.filter(({ model }) => !models.includes(model)) }
      : example,
  );
}

function brierScore(cases: readonly Example[], predicted: ReadonlyMap<string, PredictedLine>): number {
  const misses = cases.flatMap(({ id, outcomes }) =>
    outcomes.map(({ model, score }) => ((predicted.get(id)?.scores[model] ?? 0) - score) ** 2),
  );
  return misses.reduce((sum, miss) => sum + miss, 0) / misses.length;
}

function recordPairMetrics(
  recordMetric: RecordMetric,
  name: string,
  cases: readonly Example[],
  predicted: ReadonlyMap<string, PredictedLine>,
  [strong, weak]: readonly [string, string],
): void {
  const scoreOf = ({ outcomes }: Example, wanted: string) => outcomes.find(({ model }) => model === wanted)?.score ?? 0;
  const ranked = (rank: (example: Example) => number) =>
    cases.map((example) => ({
      strong: scoreOf(example, strong),
      weak: scoreOf(example, weak),
      rank: rank(example),
    }));
  const { apgr, cpt50, cpt80 } = measurePair(ranked(({ id }) => predicted.get(id)?.route_score ?? 0));
  recordMetric(`${name}: APGR`, apgr);
  recordMetric(`${name}: CPT50`, cpt50);
  recordMetric(`${name}: CPT80`, cpt80);
  recordMetric(`${name}: APGR by length alone`, measurePair(ranked(({ prompt }) => prompt.length)).apgr);
}

/** What each model of a pool scored and cost for each prompt, beside what was predicted. */
export function poolCases(
  cases: readonly Example[],
  predicted: ReadonlyMap<string, PredictedLine>,
  models: readonly string[],
): PoolCase[] {
  return cases.map(({ id, outcomes }): PoolCase => {
    const line = predicted.get(id);
    return models.map((model) => {
      const outcome = outcomes.find((other) => other.model === model);
      return {
        score: outcome?.score ?? 0,
        cost: outcome?.cost ?? 0,
        predictedScore: line?.scores[model] ?? 0,
        predictedCost: line?.costs[model] ?? 0,
      };
    });
  });
}

function recordPoolMetrics(
  recordMetric: RecordMetric,
  name: string,
  cases: readonly Example[],
  predicted: ReadonlyMap<string, PredictedLine>,
  models: readonly string[],
): void {
  const pool = poolCases(cases, predicted, models);
  const { area, areaWithout, saved, qualityGain } = measurePool(pool);
  recordMetric(`${name}: area`, area);
  recordMetric(`${name}: area without a router`, areaWithout);
  recordMetric(`${name}: saved at the best model's quality`, Math.max(0, saved));
  recordMetric(`${name}: quality mode against the best model`, qualityGain);
}

/** The difference between two equal claims on other families, where one model has outcomes in maths only. It should be 0. */
function outOfFamilyDistance(routerWeights: RouterWeights, held: readonly Example[]): number {
  const predictor = new QualityPredictor(routerWeights, NO_EVIDENCE);
  const [grok, unknown] = readCatalogue(["grok-2-1212", "unknown"].map((name) => ({ name, accuracy_score: 0.8 }))).map(
    ({ model }: CatalogueModel) => model,
  );
  if (grok === undefined || unknown === undefined) return Number.NaN;
  const others = held.filter(({ family }) => family !== "maths");
  const distances = others.map(({ prompt }) => {
    const promptFeatures = predictor.extractFeatures(
      textInference(prompt, { kind: "chat", word: "chat", known: true }),
    );
    const [one, other] = [grok, unknown].map((model) => predictor.predict(model, promptFeatures, "unsaid", "").quality);
    return Math.abs((one ?? 0) - (other ?? 0));
  });
  return distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
}
