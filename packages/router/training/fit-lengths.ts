import { FIGURES } from "../src/predict/shape-of-text.ts";
import type { Layout } from "./fit-abilities.ts";
import { Grid, solve } from "./matrix.ts";
import type { Example } from "./training-data.ts";

/** By how many answers a domain's mean length is drawn towards that of its family. */
const DRAWN = 5;

/** Tokens of an answer by model and domain; NaN where none were counted. */
export function fitLengths(
  examples: readonly Example[],
  { domains, families, familyOf, models }: Layout,
): Grid {
  const count = new Grid(models.length, domains.length);
  const sum = new Grid(models.length, domains.length);
  const familyCount = new Grid(models.length, families.length);
  const familySum = new Grid(models.length, families.length);
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
  const lengths = new Grid(models.length, domains.length, Number.NaN);
  models.forEach((_, model) => {
    domains.forEach((_, domain) => {
      const family = familyOf[domain] ?? -1;
      if (family < 0 || count.get(model, domain) === 0) return;
      const usual = familySum.get(model, family) / familyCount.get(model, family);
      lengths.set(
        model,
        domain,
        (sum.get(model, domain) + DRAWN * usual) / (count.get(model, domain) + DRAWN),
      );
    });
  });
  return lengths;
}

/** How a prompt's figures stretch a model's answers beyond what is usual in the domain; little data, little stretch. */
const STRETCH_SHRINKING = 30;
/** Longer than this many times the usual is taken for an accident. */
const MOST_TIMES = 4;

/** By model: weights of the figures for how many times the usual length an answer has, less one. */
export function fitStretch(examples: readonly Example[], lengths: Grid, { domains, models }: Layout): Grid {
  const stretch = new Grid(models.length, FIGURES);
  models.forEach((name, row) => {
    const sums = new Grid(FIGURES, FIGURES + 1);
    for (const { domain, marks, outcomes } of examples) {
      const tokens = outcomes.find(({ model }) => model === name)?.tokensOut;
      const usual = lengths.get(row, domains.indexOf(domain));
      if (tokens === undefined || Number.isNaN(usual)) continue;
      const over = Math.min(MOST_TIMES, tokens / usual) - 1;
      marks.figures.forEach((one, at) => {
        sums.add(at, FIGURES, one * over);
        marks.figures.forEach((other, column) => {
          sums.add(at, column, one * other);
        });
      });
    }
    for (let at = 0; at < FIGURES; at++) sums.add(at, at, STRETCH_SHRINKING);
    solve(sums).forEach((value, at) => {
      stretch.set(row, at, value);
    });
  });
  return stretch;
}

/** US dollars for a million tokens of input and output, by least squares over what answers cost. */
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
      const output = tokensOut ?? USUAL_TOKENS;
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
    inputPrice: round(Math.max(0, inputPrice) * 1e6),
    outputPrice: round(Math.max(0, outputPrice) * 1e6),
  };
}

/** Where an answer's length was not told. */
const USUAL_TOKENS = 250;

function round(value: number): number {
  return Number(value.toPrecision(4));
}
