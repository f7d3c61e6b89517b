import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { type Evidence, NO_EVIDENCE, type Prediction, type Reading } from "@trunkline/core/prediction.ts";
import type { Fit } from "./fit-task.ts";
import { type Familiar, ModelIndex, traitOf } from "./model-index.ts";
import { claimedQuality } from "./predict-quality.ts";
import { FIGURES } from "./shape-of-text.ts";
import { TextReader } from "./text-reader.ts";
import { type Leaning, TextReading } from "./text-reading.ts";
import type { Weights } from "./weights.ts";

/** How many outcomes what is known beforehand is worth: a provider's claim, or a table of outcomes. */
const CLAIM_WORTH = 6;
const TABLE_WORTH = 40;
/** How many outcomes of its own an account needs until they count for as much as those of all accounts together. */
const SHARED_WORTH = 8;
/** By how many outcomes a claim outweighs a table, where a provider claims other than was known. */
const CLAIM_IN_TABLE = 4;

/** The normal quantile of a one-sided bound of 90 %, and what a claim alone counts for in it. */
const BOUND = 1.2816;
const CLAIM_CERTAINTY = 3;

/** An answer is never taken to be more than so many times as long as usual, nor as short. */
const MOST_STRETCH = 4;

/** A reading that somebody else made has shares alone. */
const UNREAD = { leanings: undefined, figures: undefined };

/** No model is sure to fail or to succeed. */
const LEAST = 0.01;
const MOST = 0.99;

/** Predicts how good each model's answer to a request will be: from outcomes of the same family of work, else from claims. */
export class QualityPredictor {
  private readonly reader: TextReader;
  private readonly index: ModelIndex;
  private readonly weights: Weights;
  private readonly evidence: Evidence;

  constructor(weights: Weights, evidence: Evidence = NO_EVIDENCE) {
    this.weights = weights;
    this.evidence = evidence;
    this.reader = new TextReader(weights);
    this.index = new ModelIndex(weights);
  }

  read(inference: Inference): Reading {
    return this.reader.read(inference);
  }

  predict(model: Model, reading: Reading, fit: Fit, accountId: string): Prediction {
    return this.foresee(model, reading, fit, accountId, this.evidence);
  }

  /** What is predicted without what was learnt while serving: outcomes are counted as surplus over this. */
  predictUnlearnt(model: Model, reading: Reading, fit: Fit): Prediction {
    return this.foresee(model, reading, fit, "", NO_EVIDENCE);
  }

  /** How many tokens its answer will have; undefined where none of such work were counted. */
  expectedOutputTokens(model: Model, reading: Reading): number | undefined {
    const { row } = this.index.of(model);
    if (row < 0 || !(reading instanceof TextReading)) return undefined;
    let tokens = 0;
    let known = 0;
    for (let part = 0; part < reading.shares.length; part++) {
      const at = reading.leanings[part]?.at;
      const length = at === undefined ? Number.NaN : (this.weights.lengths[row + at] ?? Number.NaN);
      if (Number.isNaN(length)) continue;
      const share = reading.shares[part]?.share ?? 0;
      tokens += share * length;
      known += share;
    }
    if (known < 0.5) return undefined;
    const start = (row / this.weights.domains.length) * FIGURES;
    let stretch = 1;
    for (let at = 0; at < FIGURES; at++) {
      stretch += (this.weights.stretch[start + at] ?? 0) * (reading.figures[at] ?? 0);
    }
    return (tokens / known) * Math.min(MOST_STRETCH, Math.max(1 / MOST_STRETCH, stretch));
  }

  private foresee(
    model: Model,
    reading: Reading,
    fit: Fit,
    accountId: string,
    evidence: Evidence,
  ): Prediction {
    const familiar = this.index.of(model);
    const claimed = claimedQuality(model.accuracyScore ?? familiar.claim, fit);
    const { leanings, figures } = reading instanceof TextReading ? reading : UNREAD;
    const stance = stanceOf(model, familiar, claimed);
    const learnt = evidence.about(accountId, familiar.fullName);
    let quality = 0;
    let unlearnt = 0;
    let backing = 0;
    let rest = 1;
    for (let at = 0; at < reading.shares.length; at++) {
      const part = reading.shares[at];
      if (part === undefined) continue;
      const { share, domain } = part;
      const leaning = leanings?.[at];
      const outcomes = leaning === undefined || familiar.row < 0 ? 0 : this.outcomesOf(familiar, leaning);
      const before =
        leaning === undefined || figures === undefined
          ? claimed
          : this.chanceOf(familiar, leaning, figures, stance, outcomes);
      unlearnt += share * before;
      backing += share * outcomes;
      const tallies = learnt?.in(domain);
      if (tallies === undefined) quality += share * Math.min(MOST, Math.max(LEAST, before));
      else {
        const { own, shared } = tallies;
        const worth = outcomes > 0 ? TABLE_WORTH : CLAIM_WORTH;
        const usual = shared.surplus / (shared.weight + worth);
        const surplus = (own.surplus + SHARED_WORTH * usual) / (own.weight + SHARED_WORTH);
        quality += share * Math.min(MOST, Math.max(LEAST, before + surplus));
        backing += share * (own.weight + shared.weight);
      }
      rest -= share;
    }
    quality += Math.max(0, rest) * claimed;
    unlearnt += Math.max(0, rest) * claimed;
    const doubt = BOUND * Math.sqrt((quality * (1 - quality)) / (backing + CLAIM_CERTAINTY));
    return { quality, lower: Math.max(0, quality - doubt), unlearnt, evidence: backing };
  }

  private outcomesOf({ row }: Familiar, { at }: Leaning): number {
    return this.weights.outcomes[row + at] ?? 0;
  }

  /** Its chance in one domain. Where its outcomes say nothing, its claim is moved as that of every other model. */
  private chanceOf(
    { row, standing, traits }: Familiar,
    { at, ease, parting }: Leaning,
    figures: readonly number[],
    { claimed, claimedOdds, above }: Stance,
    outcomes: number,
  ): number {
    const { weights } = this;
    const ability = row < 0 ? Number.NaN : (weights.abilities[row + at] ?? Number.NaN);
    if (Number.isNaN(ability)) {
      return claimed <= 0 || claimed >= 1 ? claimed : chance(claimedOdds + (weights.ease[at] ?? 0) + ease);
    }
    let moved = ability + ease + parting * (standing[at] ?? 0);
    // What its other domains show of a model does not hold in one where it was never seen.
    if (outcomes > 0) moved += traitOf(weights, traits[at] ?? 0, figures);
    return chance(moved + (above * CLAIM_IN_TABLE) / (CLAIM_IN_TABLE + outcomes));
  }
}

/** What a model's provider claims of it for this work, reckoned once for all domains. */
interface Stance {
  readonly claimed: number;
  readonly claimedOdds: number;
  /** By how much that is above what is known of the model by its name, in log-odds; 0 where one of them is missing. */
  readonly above: number;
}

function stanceOf({ accuracyScore }: Model, { claim }: Familiar, claimed: number): Stance {
  const claimedOdds = odds(Math.min(MOST, Math.max(LEAST, claimed)));
  return {
    claimed,
    claimedOdds,
    above: accuracyScore === undefined || claim === undefined ? 0 : claimedOdds - odds(claim),
  };
}

function odds(share: number): number {
  return Math.log(share / (1 - share));
}

function chance(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
