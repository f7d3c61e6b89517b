import type { Model } from "@trunkline/core/model.ts";
import { NANO_PER_CREDIT } from "@trunkline/core/money.ts";
import type { Fit } from "@trunkline/core/prediction.ts";
import { claimedQuality } from "./predictor.ts";

/** No claim is certain. */
const MIN_CLAIM = 0.01;
const MAX_CLAIM = 0.99;

export function logOdds(share: number): number {
  const inside = Math.min(MAX_CLAIM, Math.max(MIN_CLAIM, share));
  return Math.log(inside / (1 - inside));
}

export function shareOf(strength: number): number {
  return 1 / (1 + Math.exp(-strength));
}

/** How many guesses from its name or price a provider's claim weighs as much as, and an unknown model's default. */
const CLAIM_WEIGHT = 6;
const DEFAULT_WEIGHT = 1;

/**
 * The strength of a model without outcomes, in log-odds on the scale of claims: the provider's claim, with a little of
 * what the size in its name says; else the published strength of the model or its family; else what its size and its
 * price say.
 */
export function claimedStrength(model: Model, published: number | undefined, fit: Fit): number {
  const claim = model.accuracyScore ?? (published === undefined ? undefined : shareOf(published));
  const strength = logOdds(claimedQuality(claim, fit));
  if (published !== undefined) return strength;
  const ofSize = strengthOfSize(model.upstreamModel ?? model.name);
  const isClaimed = claim !== undefined;
  // Providers of one model at different prices are equally good, so a price says nothing beside a claim.
  const ofPrice = isClaimed ? undefined : strengthOfPrice(model);
  const guesses = [ofSize, ofPrice].filter((guess) => guess !== undefined);
  const weight = isClaimed ? CLAIM_WEIGHT : DEFAULT_WEIGHT;
  return guesses.reduce((sum, guess) => sum + guess, weight * strength) / (weight + guesses.length);
}

/** A model of a billion parameters, and how much ten times as many add. */
const BILLION_STRENGTH = -0.2;
const STRENGTH_PER_TENFOLD_SIZE = 0.9;

const SIZE_WORDS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:nano|tiny)\b/i, -0.1],
  [/\b(?:mini|small|lite|flash|haiku)\b/i, 0.9],
  [/\b(?:large|pro)\b/i, 1.8],
  [/\b(?:xl|xxl|ultra|opus|max)\b/i, 2.3],
];

/** The usual strength of models of the size that a name tells; undefined: it tells none. */
function strengthOfSize(name: string): number | undefined {
  const size = /(?:^|[^a-z0-9])(?:(\d+)x)?(\d+(?:\.\d+)?)b\b/i.exec(name);
  if (size?.[2] !== undefined) {
    const billions = Number(size[2]) * Number(size[1] ?? 1);
    return BILLION_STRENGTH + STRENGTH_PER_TENFOLD_SIZE * Math.log10(Math.max(0.1, billions));
  }
  return SIZE_WORDS.find(([pattern]) => pattern.test(name))?.[1];
}

/** A model at 0.05 credits per million output tokens, and how much a tenfold price adds. */
const LOW_PRICE = 0.05;
const LOW_PRICE_STRENGTH = -0.2;
const STRENGTH_PER_TENFOLD_PRICE = 1.1;
const MAX_PRICE_STRENGTH = 2.5;

/** The usual strength of models at this price; undefined: it is free, or its price is not known. */
function strengthOfPrice({ price }: Model): number | undefined {
  if (price === undefined || price.outputPerMillion <= 0n) return undefined;
  const credits = Number(price.outputPerMillion) / Number(NANO_PER_CREDIT);
  const strength = LOW_PRICE_STRENGTH + STRENGTH_PER_TENFOLD_PRICE * Math.log10(credits / LOW_PRICE);
  return Math.min(MAX_PRICE_STRENGTH, Math.max(-1, strength));
}
