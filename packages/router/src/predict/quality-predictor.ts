import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import {
  type Evidence,
  type Fit,
  type ModelEvidence,
  NO_EVIDENCE,
  type Prediction,
  type PromptFeatures,
} from "@trunkline/core/prediction.ts";
import { ExtractedPromptFeatures } from "./extracted-features.ts";
import {
  ABOVE_KNOWN,
  CLAIMED,
  CODE_GAIN,
  ModelIndex,
  type ModelProfile,
  NUMBERS_PER_CLAIM,
  traitLogOdds,
} from "./model-index.ts";
import { claimedStrength, logOdds } from "./model-strength.ts";
import type { MutablePrediction } from "./predictor.ts";
import { PromptFeatureExtractor } from "./prompt-features.ts";
import type { RouterWeights } from "./router-weights.ts";
import { NUMERIC_FEATURE_COUNT } from "./text-features.ts";

/** How many outcomes the prior is worth: a provider's claim, or a table of outcomes. */
const CLAIM_PRIOR_WEIGHT = 6;
const TABLE_PRIOR_WEIGHT = 40;
/** How many own outcomes of an account weigh as much as those of all accounts together. */
const SHARED_PRIOR_WEIGHT = 8;
/** The weight, in outcomes, of a provider's claim that differs from the published one. */
const CLAIM_OVER_TABLE_WEIGHT = 4;

/** The normal quantile of a one-sided 90 % bound, and the weight of a claim in it. */
const LOWER_BOUND_Z = 1.2816;
const CLAIM_EVIDENCE = 3;

/** The largest factor between the expected and the usual length of an answer. */
const MAX_STRETCH = 4;

/** More domains than a request of this predictor has; others make room for more. */
const USUAL_DOMAINS = 8;

const NO_FIGURES: readonly number[] = [];

const PROGRAMMING_FAMILIES: ReadonlySet<string> = new Set(["code", "code reading", "software"]);

/** The possible domains of one request in numbers, as every model of the pool is predicted with them. Used again for the next. */
class DomainNumbers {
  promptFeatures: PromptFeatures | undefined;
  size = 0;
  figures = NO_FIGURES;
  ease = 0;
  shares = new Float64Array(USUAL_DOMAINS);
  /** The index in the weights; -1: the domain has none. */
  indexes = new Int32Array(USUAL_DOMAINS);
  /** 1: its outcomes in the weights count. */
  isWarm = new Uint8Array(USUAL_DOMAINS);
  /** 1: it is programming. */
  isProgramming = new Uint8Array(USUAL_DOMAINS);
  /** How easy the domain is, how easy the request is in it, and how much the request separates models. */
  domainEases = new Float64Array(USUAL_DOMAINS);
  eases = new Float64Array(USUAL_DOMAINS);
  discriminations = new Float64Array(USUAL_DOMAINS);
  /** Twice its place in what was learnt. */
  learntAt = new Int32Array(USUAL_DOMAINS);
  /** Of one model: where its traits in a domain's family begin, and their log-odds. Domains of one family share them. */
  traitsAt = new Int32Array(USUAL_DOMAINS);
  traitOdds = new Float64Array(USUAL_DOMAINS);

  read(promptFeatures: PromptFeatures, { domains, ease: easeOfDomain }: RouterWeights, evidence: Evidence): void {
    const { shares } = promptFeatures;
    this.reserve(shares.length);
    this.promptFeatures = promptFeatures;
    this.size = shares.length;
    this.figures = NO_FIGURES;
    this.ease = 0;
    for (let at = 0; at < shares.length; at++) {
      this.shares[at] = shares[at]?.share ?? 0;
      this.indexes[at] = -1;
      this.isWarm[at] = 0;
      this.isProgramming[at] = 0;
      this.domainEases[at] = 0;
      this.eases[at] = 0;
      this.discriminations[at] = 0;
      this.learntAt[at] = 2 * evidence.placeOf(shares[at]?.domain ?? "");
    }
    // Features from another predictor have only shares.
    if (!(promptFeatures instanceof ExtractedPromptFeatures)) return;
    this.figures = promptFeatures.figures;
    this.ease = promptFeatures.ease;
    for (let at = 0; at < shares.length; at++) {
      const index = promptFeatures.domainIndexAt(at);
      if (index < 0) continue;
      this.indexes[at] = index;
      this.isWarm[at] = promptFeatures.isColdAt(at) ? 0 : 1;
      this.isProgramming[at] = PROGRAMMING_FAMILIES.has(domains[index]?.family ?? "") ? 1 : 0;
      this.domainEases[at] = easeOfDomain[index] ?? 0;
      this.eases[at] = promptFeatures.easeAt(at);
      this.discriminations[at] = promptFeatures.discriminationAt(at);
    }
  }

  private reserve(size: number): void {
    if (size <= this.shares.length) return;
    this.shares = new Float64Array(size);
    this.indexes = new Int32Array(size);
    this.isWarm = new Uint8Array(size);
    this.isProgramming = new Uint8Array(size);
    this.domainEases = new Float64Array(size);
    this.eases = new Float64Array(size);
    this.discriminations = new Float64Array(size);
    this.learntAt = new Int32Array(size);
    this.traitsAt = new Int32Array(size);
    this.traitOdds = new Float64Array(size);
  }
}

/** No prediction is certain. */
const MIN_QUALITY = 0.0001;
const MAX_QUALITY = 0.9999;

/**
 * Predicts the chance that each model's answer satisfies: from the ease of the request and the strength of the model. The
 * strength is known from outcomes of the same family of work, else from claims.
 */
export class QualityPredictor {
  private readonly extractor: PromptFeatureExtractor;
  private readonly index: ModelIndex;
  private readonly weights: RouterWeights;
  private readonly evidence: Evidence;
  /** Predicts scores as strict as those of the training data instead: an answer counts only if it matches the key. */
  private readonly isGraded: boolean;
  /** Of the request that was predicted last. */
  private readonly domainNumbers = new DomainNumbers();

  constructor(routerWeights: RouterWeights, evidence: Evidence = NO_EVIDENCE, isGraded = false) {
    this.weights = routerWeights;
    this.evidence = evidence;
    this.isGraded = isGraded;
    this.extractor = new PromptFeatureExtractor(routerWeights);
    this.index = new ModelIndex(routerWeights);
  }

  extractFeatures(inference: Inference, pool?: readonly Model[]): PromptFeatures {
    return this.extractor.extract(inference, pool === undefined ? NO_COLD_DOMAINS : this.index.coldDomainsOf(pool));
  }

  predict(
    model: Model,
    promptFeatures: PromptFeatures,
    fit: Fit,
    accountId: string,
    into?: MutablePrediction,
  ): Prediction {
    return this.predictWith(model, promptFeatures, fit, accountId, this.evidence, into);
  }

  /** The prediction without learnt outcomes. Outcomes are counted as surplus over it. */
  predictPrior(model: Model, promptFeatures: PromptFeatures, fit: Fit): Prediction {
    return this.predictWith(model, promptFeatures, fit, "", NO_EVIDENCE);
  }

  /** The expected tokens of the answer; undefined: no lengths are known for this work. */
  expectedOutputTokens(model: Model, promptFeatures: PromptFeatures): number | undefined {
    const { row } = this.index.profileOf(model);
    if (row < 0 || !(promptFeatures instanceof ExtractedPromptFeatures)) return undefined;
    let tokens = 0;
    let known = 0;
    for (let part = 0; part < promptFeatures.shares.length; part++) {
      const at = promptFeatures.domainIndexAt(part);
      const length = at < 0 ? Number.NaN : (this.weights.lengths[row + at] ?? Number.NaN);
      if (Number.isNaN(length)) continue;
      const share = promptFeatures.shares[part]?.share ?? 0;
      tokens += share * length;
      known += share;
    }
    if (known < 0.5) return undefined;
    const start = (row / this.weights.domains.length) * NUMERIC_FEATURE_COUNT;
    let stretch = 1;
    for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) {
      stretch += (this.weights.stretch[start + at] ?? 0) * (promptFeatures.figures[at] ?? 0);
    }
    return (tokens / known) * Math.min(MAX_STRETCH, Math.max(1 / MAX_STRETCH, stretch));
  }

  private predictWith(
    model: Model,
    promptFeatures: PromptFeatures,
    fit: Fit,
    accountId: string,
    evidence: Evidence,
    into: MutablePrediction = { quality: 0, lower: 0, unlearnt: 0, evidence: 0 },
  ): Prediction {
    const { weights: routerWeights, isGraded } = this;
    const { domainNumbers } = this;
    if (domainNumbers.promptFeatures !== promptFeatures)
      domainNumbers.read(promptFeatures, routerWeights, this.evidence);
    const { size, shares, indexes, isWarm, isProgramming, domainEases, eases, discriminations, learntAt, ease } =
      domainNumbers;
    const { traitsAt, traitOdds, figures } = domainNumbers;
    const modelProfile = this.index.profileOf(model);
    const { row } = modelProfile;
    const claims = modelProfile.claimed;
    const from = placeOfFit(fit) * NUMBERS_PER_CLAIM;
    if (Number.isNaN(claims[from + CLAIMED])) writeClaim(claims, from, modelProfile, model, fit);
    const claimedOdds = claims[from + CLAIMED] ?? 0;
    const codeGain = claims[from + CODE_GAIN] ?? 0;
    const aboveKnown = claims[from + ABOVE_KNOWN] ?? 0;
    const { own, shared } = evidence.forModel(accountId, modelProfile.fullName) ?? NOTHING_LEARNT;
    let odds = 0;
    let surplus = 0;
    let backing = 0;
    let rest = 1;
    let families = 0;
    for (let at = 0; at < size; at++) {
      const share = shares[at] ?? 0;
      const domainIndex = indexes[at] ?? -1;
      let outcomes = 0;
      let strength = isProgramming[at] === 1 ? claimedOdds + codeGain : claimedOdds;
      if (isWarm[at] === 1) {
        outcomes = row < 0 ? 0 : (routerWeights.outcomes[row + domainIndex] ?? 0);
        const ability = row < 0 ? Number.NaN : (routerWeights.abilities[row + domainIndex] ?? Number.NaN);
        if (Number.isNaN(ability)) {
          if (domainIndex >= 0)
            strength = this.index.strengthAmongKnown(domainIndex, strength, discriminations[at] ?? 0);
        } else {
          // By its outcomes.
          strength =
            ability -
            (domainEases[at] ?? 0) +
            (discriminations[at] ?? 0) * (modelProfile.strength[domainIndex] ?? 0) +
            (aboveKnown * CLAIM_OVER_TABLE_WEIGHT) / (CLAIM_OVER_TABLE_WEIGHT + outcomes);
          // Outcomes in other domains do not count in a domain without outcomes.
          if (outcomes > 0) {
            const traits = modelProfile.traits[domainIndex] ?? 0;
            let family = 0;
            while (family < families && traitsAt[family] !== traits) family++;
            if (family === families) {
              families++;
              traitsAt[family] = traits;
              traitOdds[family] = traitLogOdds(routerWeights, traits, figures);
            }
            strength += traitOdds[family] ?? 0;
          }
        }
      }
      if (isGraded && domainIndex >= 0) strength += (domainEases[at] ?? 0) + (eases[at] ?? 0);
      odds += share * strength;
      backing += share * outcomes;
      const place = learntAt[at] ?? -1;
      if (place >= 0) {
        let ownWeight = 0;
        let ownSurplus = 0;
        if (place < own.length) {
          ownWeight = own[place] ?? 0;
          ownSurplus = own[place + 1] ?? 0;
        }
        let sharedWeight = 0;
        let usual = 0;
        if (place < shared.length) {
          sharedWeight = shared[place] ?? 0;
          usual = (shared[place + 1] ?? 0) / (sharedWeight + (outcomes > 0 ? TABLE_PRIOR_WEIGHT : CLAIM_PRIOR_WEIGHT));
        }
        surplus += (share * (ownSurplus + SHARED_PRIOR_WEIGHT * usual)) / (ownWeight + SHARED_PRIOR_WEIGHT);
        backing += share * (ownWeight + sharedWeight);
      }
      rest -= share;
    }
    if (rest > 0) odds += rest * claimedOdds;
    const unlearnt = sigmoid(isGraded ? odds : odds + ease);
    const quality = Math.min(MAX_QUALITY, Math.max(MIN_QUALITY, unlearnt + surplus));
    const doubt = LOWER_BOUND_Z * Math.sqrt((quality * (1 - quality)) / (backing + CLAIM_EVIDENCE));
    into.quality = quality;
    into.lower = Math.max(0, quality - doubt);
    into.unlearnt = unlearnt;
    into.evidence = backing;
    return into;
  }
}

const NOTHING_LEARNT: ModelEvidence = { own: [], shared: [] };

const NO_COLD_DOMAINS: readonly boolean[] = [];

/** Where a profile keeps what a model claims for work that fits so. A property with this name would be looked up by its text. */
function placeOfFit(fit: Fit): number {
  switch (fit) {
    case "listed":
      return 0;
    case "related":
      return 1;
    case "other":
      return 2;
    case "unsaid":
      return 3;
  }
}

function writeClaim(
  into: number[],
  from: number,
  { claim, familyStrength }: ModelProfile,
  model: Model,
  fit: Fit,
): void {
  const published = familyStrength?.odds ?? (claim === undefined ? undefined : logOdds(claim));
  const odds = claimedStrength(model, published, fit);
  const isClaimed = model.accuracyScore !== undefined;
  into[from + CLAIMED] = odds;
  into[from + CODE_GAIN] =
    isClaimed || familyStrength === undefined ? 0 : familyStrength.codeOdds - familyStrength.odds;
  into[from + ABOVE_KNOWN] = !isClaimed || claim === undefined ? 0 : odds - logOdds(claim);
}

function sigmoid(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
