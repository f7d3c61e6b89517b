import { NUMERIC_FEATURE_COUNT } from "../src/predict/text-features.ts";
import type { TrainingLayout } from "./fit-abilities.ts";
import { Matrix, solveLinearSystem } from "./matrix.ts";
import type { Example } from "./training-data.ts";

/** How many answers shrink a domain's mean length towards that of its family. */
const DOMAIN_SHRINKAGE = 5;

/** Tokens of an answer by model and domain; NaN: unknown. */
export function fitLengths(
  examples: readonly Example[],
  { domains, families, familyOf, models }: TrainingLayout,
): Matrix {
  const count = new Matrix(models.length, domains.length);
  const sum = new Matrix(models.length, domains.length);
  const familyCount = new Matrix(models.length, families.length);
  const familySum = new Matrix(models.length, families.length);
  for (const { domain, outcomes } of examples) {
    const column = domains.indexOf(domain);
    const family = familyOf[column] ?? -1;
    for (const { model, tokensOut } of outcomes) {
      if (tokensOut === undefined) continue;
      const row = models.indexOf(model);
      count.add(row, column, 1);
      sum.add(row, column, tokensOut);
      familyCount.add(row, family, 1);
      familySum.add(row, family, tokensOut);
    }
  }
  const lengths = new Matrix(models.length, domains.length, Number.NaN);
  models.forEach((_, model) => {
    domains.forEach((_, domain) => {
      const family = familyOf[domain] ?? -1;
      if (family < 0 || count.get(model, domain) === 0) return;
      const usual = familySum.get(model, family) / familyCount.get(model, family);
      lengths.set(
        model,
        domain,
        (sum.get(model, domain) + DOMAIN_SHRINKAGE * usual) / (count.get(model, domain) + DOMAIN_SHRINKAGE),
      );
    });
  });
  return lengths;
}

/** The regularisation of the effect of a prompt's numeric features on the length. */
const STRETCH_SHRINKAGE = 30;
/** A longer answer, as a factor of the usual length, is an outlier. */
const MAX_LENGTH_FACTOR = 4;

/** By model: weights of the numeric features for the factor to the usual length, less one. */
export function fitStretch(examples: readonly Example[], lengths: Matrix, { domains, models }: TrainingLayout): Matrix {
  const stretch = new Matrix(models.length, NUMERIC_FEATURE_COUNT);
  models.forEach((name, row) => {
    const sums = new Matrix(NUMERIC_FEATURE_COUNT, NUMERIC_FEATURE_COUNT + 1);
    for (const { domain, features, outcomes } of examples) {
      const tokens = outcomes.find(({ model }) => model === name)?.tokensOut;
      const usual = lengths.get(row, domains.indexOf(domain));
      if (tokens === undefined || Number.isNaN(usual)) continue;
      const over = Math.min(MAX_LENGTH_FACTOR, tokens / usual) - 1;
      features.figures.forEach((one, at) => {
        sums.add(at, NUMERIC_FEATURE_COUNT, one * over);
        features.figures.forEach((other, column) => {
          sums.add(at, column, one * other);
        });
      });
    }
    for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) sums.add(at, at, STRETCH_SHRINKAGE);
    solveLinearSystem(sums).forEach((value, at) => {
      stretch.set(row, at, value);
    });
  });
  return stretch;
}

/** US dollars per million tokens of input and output, by least squares over the costs. */
export function fitPrices(
  examples: readonly Example[],
  name: string,
): { readonly inputPrice?: number; readonly outputPrice?: number } {
  let inIn = 0;
  let inOut = 0;
  let outOut = 0;
  let inCost = 0;
  let outCost = 0;
  for (const { prompt, outcomes } of examples) {
    for (const { model, cost, tokensIn, tokensOut } of outcomes) {
      if (model !== name || cost === undefined) continue;
      const input = tokensIn ?? Math.ceil(prompt.length / 4);
      const output = tokensOut ?? DEFAULT_OUTPUT_TOKENS;
      inIn += input * input;
      inOut += input * output;
      outOut += output * output;
      inCost += input * cost;
      outCost += output * cost;
    }
  }
  const whole = inIn * outOut - inOut * inOut;
  if (whole <= 0) return {};
  const inputPrice = (inCost * outOut - outCost * inOut) / whole;
  const outputPrice = (outCost * inIn - inCost * inOut) / whole;
  return {
    inputPrice: roundPrice(Math.max(0, inputPrice) * 1e6),
    outputPrice: roundPrice(Math.max(0, outputPrice) * 1e6),
  };
}

/** For an answer without a length. */
const DEFAULT_OUTPUT_TOKENS = 250;

function roundPrice(value: number): number {
  return Number(value.toPrecision(4));
}
