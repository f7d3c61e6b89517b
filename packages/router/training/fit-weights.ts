import { BUCKET_COUNT } from "../src/predict/counted-words.ts";
import { DOMAIN_FAMILIES } from "../src/predict/domains.ts";
import { canonicalModelName } from "../src/predict/model-name.ts";
import type { RouterWeights } from "../src/predict/router-weights.ts";
import { NUMERIC_FEATURE_COUNT } from "../src/predict/text-features.ts";
import { fitAbilities, type TrainingLayout } from "./fit-abilities.ts";
import { fitDifficulty, fitNumericFeatures, fitTraits, type TrainingCase } from "./fit-difficulty.ts";
import { fitDomains } from "./fit-domains.ts";
import { fitLengths, fitPrices, fitStretch } from "./fit-lengths.ts";
import { type ComposedPrompt, fitPromptEase } from "./fit-prompt-ease.ts";
import type { Matrix } from "./matrix.ts";
import { syntheticPrompts } from "./synthetic-prompts.ts";
import { type Example, extractTrainingFeatures } from "./training-data.ts";

/**
 * The published share of general knowledge questions (MMLU) that each model answers, approximately. It makes the pools
 * of models comparable, so that no model gains or loses because its questions were harder.
 */
const PUBLISHED_CLAIMS: Readonly<Record<string, number>> = {
  "claude-3-5-haiku": 0.8,
  "claude-3-5-sonnet": 0.89,
  "claude-3-haiku": 0.75,
  "codegemma-7b": 0.56,
  "command-r": 0.68,
  "deepseek-coder-v2": 0.79,
  "deepseek-v2.5-0908": 0.8,
  "gemini-1.5-flash": 0.79,
  "gemini-1.5-flash-002": 0.8,
  "gemini-1.5-pro": 0.86,
  "gemini-1.5-pro-002": 0.87,
  "gemma-2-9b": 0.72,
  "gpt-4-1106": 0.85,
  "gpt-4o": 0.89,
  "gpt-4o-mini": 0.82,
  "grok-2-1212": 0.875,
  "jamba-1.5-large": 0.8,
  "llama-3.1-70b": 0.83,
  "llama-3.1-8b": 0.69,
  "llama-3.1-nemotron-51b": 0.8,
  "llama-3.3-nemotron-super-49b": 0.82,
  "llama3-chatqa-1.5-70b": 0.7,
  "llama3-chatqa-1.5-8b": 0.6,
  "mathstral-7b": 0.63,
  "mistral-7b-instruct-v0.2": 0.6,
  "mistral-7b-instruct-v0.3": 0.6,
  "mixtral-8x7b": 0.71,
  "phi-3-mini-4k": 0.69,
  "qwen1.5-72b": 0.77,
  "qwen2.5-72b": 0.86,
  "qwen2.5-7b": 0.74,
};

const SYNTHETIC_PROMPTS_PER_DOMAIN = 120;
const SYNTHETIC_PROMPTS_PER_LEVEL = 120;
const DEFAULT_CLAIM = 0.7;
const CLAIMS = new Map(Object.entries(PUBLISHED_CLAIMS).map(([name, claim]) => [canonicalModelName(name), claim]));

/** The published claim of a model by its canonical name. */
export function claimOf(model: string): number {
  return CLAIMS.get(model) ?? DEFAULT_CLAIM;
}

/** Fits the weights. The same examples give the same weights. */
export function fitWeights(
  examples: readonly Example[],
  domainWeights: Float32Array = fitDomainWeights(examples),
): RouterWeights {
  const trainingLayout = layoutOf(examples);
  const { domains, families, familyOf, models } = trainingLayout;
  const { abilities, outcomes, ease, strength } = fitAbilities(examples, trainingLayout);
  const trainingCases: TrainingCase[] = examples.map(({ domain, features, outcomes: answers }) => {
    const column = domains.indexOf(domain);
    const family = familyOf[column] ?? -1;
    return {
      figures: features.figures,
      domain: column,
      family,
      answers: answers.map(({ model, score }) => {
        const row = models.indexOf(model);
        return {
          model: row,
          ability: abilities.get(row, column),
          strength: strength.get(row, family),
          score,
        };
      }),
    };
  });
  const figures = fitNumericFeatures(trainingCases, familyOf, families.length);
  const weighed = trainingCases.map((one, at) => ({
    ...one,
    features: examples[at]?.features ?? extractTrainingFeatures(""),
    ease: weightedSum(figures, one, 0),
    discrimination: weightedSum(figures, one, NUMERIC_FEATURE_COUNT),
  }));
  const hardness = fitDifficulty(weighed, families.length);
  const lengths = fitLengths(examples, trainingLayout);
  const promptEase = fitPromptEase(
    weighed.flatMap((one, at) => {
      const { domain = "" } = examples[at] ?? {};
      if (!GRADED_AS_PEOPLE_WOULD.has(domain)) return [];
      return [{ features: one.features, answers: one.answers, domainEase: ease[one.domain] ?? 0 }];
    }),
    composedPrompts(),
  );
  const { table, scales } = quantise([
    { weights: domainWeights, width: domains.length },
    { weights: hardness, width: families.length },
    { weights: promptEase, width: 1 },
  ]);
  return {
    domains: domains.map((name) => ({ name, family: FAMILIES[name] ?? name })),
    families,
    models: models.map((name, at) => ({
      name,
      claim: trainingLayout.claims[at] ?? DEFAULT_CLAIM,
      ...fitPrices(examples, name),
    })),
    table,
    usual: bucketFrequencies(examples),
    scales,
    figures: Float32Array.from(figures.values),
    ease: Float32Array.from(ease),
    abilities: Float32Array.from(abilities.values),
    outcomes: Float32Array.from(outcomes.values),
    lengths: Float32Array.from(lengths.values),
    traits: fitTraits(weighed, models.length, families.length),
    stretch: Float32Array.from(fitStretch(examples, lengths, trainingLayout).values),
    strength: Float32Array.from(strength.values),
  };
}

const FAMILIES: Readonly<Record<string, string>> = DOMAIN_FAMILIES;

/**
 * The domains whose scores say whether an answer would satisfy. Elsewhere an answer counts only if it has the very words
 * of the key, or if it names an option that the prompt does not show.
 */
const GRADED_AS_PEOPLE_WOULD: ReadonlySet<string> = new Set(
  Object.entries(FAMILIES).flatMap(([domain, family]) =>
    family === "knowledge" || family === "maths" || family === "code" ? [domain] : [],
  ),
);

let composed: readonly ComposedPrompt[] | undefined;

/** The synthetic prompts with their features. */
function composedPrompts(): readonly ComposedPrompt[] {
  composed ??= syntheticPrompts(SYNTHETIC_PROMPTS_PER_DOMAIN, SYNTHETIC_PROMPTS_PER_LEVEL).map(
    ({ domain, prompt, level }) => ({ domain, level, features: extractTrainingFeatures(prompt) }),
  );
  return composed;
}

/** Fits the domains from the prompts alone, without outcomes. */
export function fitDomainWeights(examples: readonly Example[]): Float32Array {
  const domains = Object.keys(FAMILIES);
  return fitDomains(
    [...examples, ...composedPrompts()].map(({ domain, features }) => ({ features, at: domains.indexOf(domain) })),
    domains.length,
  );
}

function layoutOf(examples: readonly Example[]): TrainingLayout {
  const domains = Object.keys(FAMILIES);
  const families = [...new Set(examples.map(({ family }) => family))].toSorted();
  const models = [...new Set(examples.flatMap(({ outcomes }) => outcomes.map(({ model }) => model)))].toSorted();
  return {
    domains,
    families,
    familyOf: domains.map((domain) => families.indexOf(FAMILIES[domain] ?? "")),
    models,
    claims: models.map(claimOf),
  };
}

function weightedSum(weights: Matrix, { figures, domain }: TrainingCase, from: number): number {
  let sum = 0;
  for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) sum += (figures[at] ?? 0) * weights.get(domain, from + at);
  return sum;
}

/** The share of all texts with each feature. */
function bucketFrequencies(examples: readonly Example[]): Float32Array {
  const usual = new Float32Array(BUCKET_COUNT).fill(0.5);
  for (const { features } of examples) {
    for (const place of features.buckets) usual[place] = (usual[place] ?? 0) + 1;
  }
  return usual.map((count) => count / (examples.length + 1));
}

/** Weights by bucket and column. */
interface Columns {
  readonly weights: Float32Array;
  readonly width: number;
}

/** One byte for each weight, with a scale for each column. */
function quantise(parts: readonly Columns[]) {
  const sources = parts.flatMap(({ weights, width }) =>
    Array.from({ length: width }, (_, at) => ({ weights, width, at })),
  );
  const table = new Int8Array(BUCKET_COUNT * sources.length);
  const scales = new Float32Array(sources.length);
  sources.forEach(({ weights, width, at }, column) => {
    let most = 0;
    for (let place = 0; place < BUCKET_COUNT; place++)
      most = Math.max(most, Math.abs(weights[place * width + at] ?? 0));
    const scale = most / 127 || 1;
    scales[column] = scale;
    for (let place = 0; place < BUCKET_COUNT; place++) {
      table[place * sources.length + column] = Math.round((weights[place * width + at] ?? 0) / scale);
    }
  });
  return { table, scales };
}
