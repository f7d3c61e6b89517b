import type { Model } from "@trunkline/core/model.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import { ModelIndex } from "./model-index.ts";
import type { RouterWeights } from "./router-weights.ts";

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
}

/** The recorded cost of an answer. */
export interface ObservedCost {
  readonly model: Model;
  readonly chars: number;
  readonly promptFeatures: PromptFeatures;
  readonly cost: number;
}

interface CostModel {
  readonly base: number;
  readonly perChar: number;
  /** By domain: the additional cost. */
  readonly domainOffsets: ReadonlyMap<string, number>;
}

const CHARS_PER_TOKEN = 4;
const DEFAULT_OUTPUT_TOKENS = 250;
/** With fewer recorded costs, prices are used. */
const MIN_OBSERVATIONS = 20;
/** How many answers shrink a domain's own cost towards the fitted line. */
const DOMAIN_SHRINKAGE = 10;

/** Predicts the cost of answers in US dollars: from recorded costs, else from prices, else from the model's name. */
export class CostPredictor {
  private readonly costModels = new Map<Model, CostModel>();
  private readonly index: ModelIndex;
  private readonly weights: RouterWeights;
  private readonly priceOf: (model: Model) => TokenPrices | undefined;

  constructor(
    routerWeights: RouterWeights,
    priceOf: (model: Model) => TokenPrices | undefined,
    seen: readonly ObservedCost[],
  ) {
    this.weights = routerWeights;
    this.priceOf = priceOf;
    this.index = new ModelIndex(routerWeights);
    for (const [model, costs] of groupByModel(seen)) {
      if (costs.length >= MIN_OBSERVATIONS) this.costModels.set(model, fitCostModel(costs));
    }
  }

  predict(model: Model, chars: number, promptFeatures: PromptFeatures, outputTokens: number | undefined): number {
    const line = this.costModels.get(model);
    if (line !== undefined) {
      let cost = line.base + line.perChar * chars;
      for (const { domain, share } of promptFeatures.shares) cost += share * (line.domainOffsets.get(domain) ?? 0);
      return Math.max(1e-9, cost);
    }
    const { input, output } = this.priceOf(model) ?? this.knownPrice(model) ?? guessPrices(model.name);
    return ((chars / CHARS_PER_TOKEN) * input + (outputTokens ?? DEFAULT_OUTPUT_TOKENS) * output) / 1e6;
  }

  private knownPrice(model: Model): TokenPrices | undefined {
    const { row } = this.index.profileOf(model);
    const known = row < 0 ? undefined : this.weights.models[row / this.weights.domains.length];
    if (known?.inputPrice === undefined || known.outputPrice === undefined) return undefined;
    return { input: known.inputPrice, output: known.outputPrice };
  }
}

function fitCostModel(costs: readonly ObservedCost[]): CostModel {
  const count = costs.length;
  const meanChars = costs.reduce((sum, { chars }) => sum + chars, 0) / count;
  const meanCost = costs.reduce((sum, { cost }) => sum + cost, 0) / count;
  let square = 1;
  let both = 0;
  for (const { chars, cost } of costs) {
    square += (chars - meanChars) ** 2;
    both += (chars - meanChars) * (cost - meanCost);
  }
  const perChar = both / square;
  const base = meanCost - perChar * meanChars;
  const sums = new Map<string, { weight: number; over: number }>();
  for (const { chars, cost, promptFeatures } of costs) {
    for (const { domain, share } of promptFeatures.shares) {
      const sum = sums.get(domain) ?? { weight: 0, over: 0 };
      sum.weight += share;
      sum.over += share * (cost - base - perChar * chars);
      sums.set(domain, sum);
    }
  }
  const extra = new Map([...sums].map(([domain, { weight, over }]) => [domain, over / (weight + DOMAIN_SHRINKAGE)]));
  return { base, perChar, domainOffsets: extra };
}

/** Guesses prices from the size in a model's name, or from words for small and large models. */
export function guessPrices(name: string): TokenPrices {
  const size = /(?:(\d+)x)?(\d+(?:\.\d+)?)b\b/i.exec(name);
  if (size?.[2] !== undefined) {
    const billions = Number(size[2]) * (size[1] === undefined ? 1 : Number(size[1]) / 2);
    return { input: 0.02 * billions, output: 0.02 * billions };
  }
  if (/mini|flash|haiku|small|nano|lite|tiny/i.test(name)) return { input: 0.2, output: 0.8 };
  if (/opus|ultra|gpt-4(?!o)|large|\bo1\b|\bo3\b/i.test(name)) return { input: 5, output: 20 };
  if (/pro|sonnet|gpt|claude|grok|max/i.test(name)) return { input: 2, output: 8 };
  return { input: 1, output: 2 };
}

function groupByModel(seen: readonly ObservedCost[]): Map<Model, ObservedCost[]> {
  const groups = new Map<Model, ObservedCost[]>();
  for (const one of seen) {
    const group = groups.get(one.model);
    if (group === undefined) groups.set(one.model, [one]);
    else group.push(one);
  }
  return groups;
}
