import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference, Task, TaskKind } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, fullNameOf, type Model } from "@trunkline/core/model.ts";
import { type ModelTraits, traitsOf, traitsOfAll } from "@trunkline/core/model-traits.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import type { Candidate, Excluded, Health, Quote, TierKind } from "@trunkline/core/route.ts";
import { NONE, withAdded } from "@trunkline/core/small-list.ts";
import { expectedTime } from "../predict/expected-time.ts";
import type { MutablePrediction, Predictor } from "../predict/predictor.ts";
import { type Catalogue, isThirdPartyTo, isVisible, listTiers, type Tier } from "./catalogue.ts";
import { closestToBounds, largestLimit } from "./closest-to-bounds.ts";
import {
  brokenDataReason,
  dataRulesFault,
  type Exclusion,
  type ExclusionReason,
  exceedsContextWindow,
  exceedsMaxOutput,
  FAILOVER_FACTOR,
  failoverLimitOf,
  notAllowedReason,
  outOfBoundsReason,
  type RequestRequirements,
  reasonText,
  requirementsOf,
  wrongTypeReason,
} from "./eligibility.ts";
import { fitWork } from "./specialties.ts";

/** Every candidate for a request, whether or not the funds cover it. */
export interface CandidatePool {
  readonly task: Task;
  readonly promptFeatures: PromptFeatures;
  /** Tried in this order. There is at least one, and none is empty. */
  readonly tiers: readonly (readonly Candidate[])[];
  /** The models that can't serve, with reasons. A function, because an own getter would give each request its own hidden class. */
  readonly excluded: () => readonly Excluded[];
  /** Funds below this cover no candidate. */
  readonly cheapestWorst: NanoCredits;
  /** Funds from this on cover every candidate. */
  readonly dearestWorst: NanoCredits;
  /** The caller's account, where the first quote bounds failover to other accounts' models; undefined: nothing to bound. */
  readonly boundedFor: string | undefined;
}

export interface FindCandidatesInput {
  readonly catalogue: Catalogue;
  readonly healthOf: (model: Model) => Health;
  /** undefined where the model's price is not known. */
  readonly quoteOf: (model: Model, traits: ModelTraits) => Quote | undefined;
  readonly predictor: Predictor;
  readonly promptFeatures: PromptFeatures;
  readonly caller: Caller;
  readonly inference: Inference;
  /** Decides whether a model with a traffic share takes part. */
  readonly trafficKey: number;
}

/** Finds every model that can serve a request. Throws a fault that says why none can. */
export function findCandidates(input: FindCandidatesInput): CandidatePool {
  const { inference } = input;
  const listed = listTiers(input.catalogue, input.caller, inference);
  if (inference.model !== undefined) {
    refuseWrongModality(listed, inference);
    refuseTokens(listed, inference);
    refuseExcessiveMaxTokens(listed, inference);
  }
  const candidateFilter = new CandidateFilter(input, listed.length, listed[0]);
  for (const tier of listed) candidateFilter.filterTier(tier.kind, tier.models, tier.isThirdPartyList);
  if (candidateFilter.tiers.length === 0) candidateFilter.takeLastResort();
  const { tiers } = candidateFilter;
  let cheapestWorst: NanoCredits | undefined;
  let dearestWorst: NanoCredits = 0n;
  let hasThirdParty = false;
  for (const candidates of tiers) {
    for (const { quote, model } of candidates) {
      if (model.thirdParty === true) hasThirdParty = true;
      if (cheapestWorst === undefined || quote.worst < cheapestWorst) cheapestWorst = quote.worst;
      if (quote.worst > dearestWorst) dearestWorst = quote.worst;
    }
  }
  return {
    task: inference.task,
    promptFeatures: input.promptFeatures,
    tiers,
    excluded: candidateFilter.hasExcluded ? excludedBy(candidateFilter) : NOTHING_EXCLUDED,
    cheapestWorst: cheapestWorst ?? 0n,
    dearestWorst,
    boundedFor:
      hasThirdParty && inference.model === undefined && inference.preferences.maxCost === undefined
        ? input.caller.accountId
        : undefined,
  };
}

/** In a function of its own, so that a search that excludes nothing sets up no scope for it, and is not kept with its route. */
function excludedBy(candidateFilter: CandidateFilter): CandidatePool["excluded"] {
  let excluded: readonly Excluded[] | undefined;
  return () => {
    excluded ??= candidateFilter.excluded();
    return excluded;
  };
}

const NOTHING_EXCLUDED = (): readonly Excluded[] => [];

/** A named model may serve any task word, but a text model can't make images or audio. */
function refuseWrongModality(tiers: readonly Tier[], { task, model }: Inference): void {
  const [first] = tiers;
  if (first?.kind !== "named" || (task.kind !== "image" && task.kind !== "audio")) return;
  if (first.models.some(({ type }) => type === task.kind || type === "multimodal")) return;
  throw new Fault(
    "invalid_request",
    `The model "${model}" makes ${first.models[0]?.type}, not ${task.kind}. GET /v1/models?type=${task.kind} lists those that do.`,
    { param: "model" },
  );
}

/** A token's number means something to one provider only. */
function refuseTokens(tiers: readonly Tier[], { model, parameters }: Inference): void {
  const [first] = tiers;
  if (parameters.tokens === undefined || first?.models.some(({ wire }) => wire === "openai") !== false) return;
  throw new Fault("invalid_request", `The model "${model}" takes texts and no tokens. Send the texts themselves.`, {
    param: "input",
  });
}

/** The client named both the model and the length, so it has to change one of them. */
function refuseExcessiveMaxTokens(tiers: readonly Tier[], inference: Inference): void {
  const [first] = tiers;
  if (first?.kind !== "named" || inference.parameters.maxTokens === undefined) return;
  if (!first.models.every((model) => exceedsMaxOutput(model, inference))) return;
  const limit = Math.max(...first.models.map((model) => model.maxOutputTokens ?? 0));
  throw new Fault(
    "invalid_request",
    `The model "${inference.model}" gives at most ${limit} output tokens. Lower max_tokens to ${limit} or less.`,
    { param: "parameters.max_tokens" },
  );
}

const RETRY_AFTER_SECONDS = 30;

/** The built-in model that serves a task when no registered one can. */
const BUILTIN_FALLBACKS: Readonly<Record<TaskKind, string | undefined>> = {
  chat: "guide",
  text: "guide",
  code: "guide",
  analysis: "summary",
  image: "sketch",
  audio: "voice",
  transcription: undefined,
  embedding: "embed",
  multimodal: undefined,
};

/** The task words of the kind `analysis` that a summary answers. */
const SUMMARY_WORDS: ReadonlySet<string> = new Set(["analysis", "summarization"]);

/** Written for every candidate, and read at once. */
const predicted: MutablePrediction = { quality: 0, lower: 0, unlearnt: 0, evidence: 0 };

/** Separates the models that can serve one request from those that can't, and keeps the reasons. */
class CandidateFilter {
  /** What was found, tier by tier. Every model in it counts as taken. */
  tiers: readonly (readonly Candidate[])[] = NONE;
  /**
   * Candidates whose breakers let no calls through. A breaker never removes the last candidates: a model that may be
   * down is better than no answer.
   */
  private unavailable: readonly Candidate[] = NONE;
  /** Registered models that the data rules leave out. */
  private brokenData: readonly Exclusion[] = NONE;
  /** Registered models that only a bound of the request leaves out. */
  private outOfBounds: readonly Candidate[] = NONE;
  private readonly input: FindCandidatesInput;
  private readonly requirements: RequestRequirements;
  private exclusions: readonly Exclusion[] = NONE;
  private wrongType: readonly Exclusion[] = NONE;
  private readonly firstTier: Tier | undefined;
  /** Computed when the first model needs it. */
  private failoverLimit: NanoCredits | undefined;
  private builtins: readonly Model[] = NONE;
  /**
   * Models that were checked in a tier of named models: the same rules hold for all such tiers. undefined: there is one
   * tier, which has every model once.
   */
  private readonly evaluatedByName: Set<string> | undefined;

  constructor(input: FindCandidatesInput, tierCount: number, firstTier: Tier | undefined) {
    this.input = input;
    this.firstTier = firstTier;
    this.requirements = requirementsOf(input.inference, input.caller, input.trafficKey);
    this.evaluatedByName = tierCount > 1 ? new Set() : undefined;
  }

  /** Takes the models of a tier that can serve and that no earlier tier has taken. */
  filterTier(kind: TierKind, models: readonly Model[], isThirdPartyList: boolean): void {
    const { caller } = this.input;
    let candidates: readonly Candidate[] = NONE;
    if (kind === "automatic") {
      for (const traits of traitsOfAll(models)) {
        const { model } = traits;
        if (!isVisible(model, caller)) continue;
        if (model.wire === "builtin") this.builtins = withAdded(this.builtins, model);
        else {
          const candidate = this.evaluate(traits, kind, isThirdPartyList);
          if (candidate !== undefined) candidates = withAdded(candidates, candidate);
        }
      }
    } else {
      for (const model of models) {
        if (!isVisible(model, caller) || !this.isNew(model)) continue;
        const candidate = this.evaluate(traitsOf(model), kind, isThirdPartyList);
        if (candidate !== undefined) candidates = withAdded(candidates, candidate);
      }
    }
    if (candidates.length > 0) this.tiers = withAdded(this.tiers, candidates);
  }

  /** Where no model can serve: takes those that may be down, else a built-in one. Throws a fault where there is none either. */
  takeLastResort(): void {
    if (this.unavailable.length > 0) this.tiers = [this.unavailable];
    else this.takeBuiltins();
    if (this.tiers.length === 0) throw this.noModelFault();
  }

  /** Whether a model was not yet checked by its name or taken. */
  private isNew({ id }: Model): boolean {
    if (this.evaluatedByName === undefined) return true;
    if (this.evaluatedByName.has(id)) return false;
    for (const candidates of this.tiers) for (const { model } of candidates) if (model.id === id) return false;
    this.evaluatedByName.add(id);
    return true;
  }

  /** A built-in model never hides an outage, so it comes after the unavailable models. */
  private takeBuiltins(): void {
    const { kind, word } = this.input.inference.task;
    const name = BUILTIN_FALLBACKS[kind];
    // The guide only quotes the documentation, so it does not stand in for a model that a bound of the request left out.
    if (name === "guide" && this.outOfBounds.length + this.brokenData.length > 0) return;
    if (name === "summary" && !SUMMARY_WORDS.has(word)) return;
    const models = this.builtins.filter((model) => model.name === name);
    this.filterTier("built-in", models, false);
  }

  get hasExcluded(): boolean {
    return this.exclusions.length + this.wrongType.length + this.builtins.length > 0;
  }

  /** The models that can't serve, each once, the most informative reasons first. */
  excluded(): Excluded[] {
    const reasons = new Map<string, string>();
    for (const exclusion of this.exclusions) reasons.set(cachedFullNameOf(exclusion.model), reasonText(exclusion));
    for (const exclusion of this.wrongType) reasons.set(cachedFullNameOf(exclusion.model), reasonText(exclusion));
    for (const model of this.builtins) reasons.set(cachedFullNameOf(model), BUILTIN_REASON);
    // An excluded model may be taken later: because a fallback names it, or as the last resort.
    for (const candidates of this.tiers) for (const { model } of candidates) reasons.delete(cachedFullNameOf(model));
    return Array.from(reasons, ([model, reason]) => ({ model, reason }));
  }

  /** The refusal of a request that no model can serve. */
  private noModelFault(): Fault {
    const { inference } = this.input;
    if (this.brokenData.length > 0 && this.outOfBounds.length === 0) return dataRulesFault(this.brokenData);
    // An automatic request does not list every image model that can't chat.
    const relevant = inference.model === undefined ? this.exclusions : [...this.exclusions, ...this.wrongType];
    const shown = relevant.slice(0, 3).map((exclusion) => `${fullNameOf(exclusion.model)}: ${reasonText(exclusion)}`);
    // A model that is too small for the request comes close to no bound.
    const fitting = this.outOfBounds.filter(
      ({ model, quote }) => !exceedsContextWindow(model, quote) && !exceedsMaxOutput(model, inference),
    );
    const limit = this.unavailable.length > 0 ? undefined : largestLimit(this.outOfBounds, inference);
    const closest = closestToBounds(fitting, inference.preferences) ?? limit;
    const message =
      shown.length === 0
        ? `No registered model ${this.requirements.hasAttachments ? "takes attachments" : `fits the task "${inference.task.word}"`}.`
        : `No model can serve this request. ${closest ?? `${shown.join("; ")}.`}`;
    return new Fault("no_model_available", message, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      ...(this.isTooLongForAll() && { providersSaid: "context_length_exceeded" }),
      ...(this.isOfWrongType() && { providersSaid: "request_rejected" }),
    });
  }

  /** Whether the client named models that can never do this, so that it has to name others. */
  private isOfWrongType(): boolean {
    if (this.input.inference.model === undefined || this.wrongType.length === 0) return false;
    return this.exclusions.length === 0 && this.unavailable.length === 0;
  }

  /** Whether the length alone leaves out every model that could serve. */
  private isTooLongForAll(): boolean {
    if (this.outOfBounds.length === 0 || this.unavailable.length > 0) return false;
    return this.outOfBounds.every(({ model, quote }) => exceedsContextWindow(model, quote));
  }

  /** The model as a candidate of the next tier; undefined: it can't serve, and was added to the excluded ones. */
  private evaluate(traits: ModelTraits, tierKind: TierKind, isThirdPartyList: boolean): Candidate | undefined {
    const { model } = traits;
    const { input, requirements } = this;
    const wrongType = wrongTypeReason(traits, tierKind, requirements);
    if (wrongType !== undefined) {
      this.wrongType = withAdded(this.wrongType, { model, reason: wrongType });
      return undefined;
    }
    const notAllowed = notAllowedReason(model, tierKind, requirements);
    if (notAllowed !== undefined) {
      this.exclude(model, notAllowed);
      return undefined;
    }

    const brokenData = brokenDataReason(model, requirements);
    if (brokenData !== undefined) {
      this.brokenData = withAdded(this.brokenData, { model, reason: brokenData });
      this.exclude(model, brokenData);
      return undefined;
    }

    const { inference } = input;
    const { task } = inference;
    const quote = input.quoteOf(model, traits);
    if (quote === undefined) {
      this.exclude(model, "its price is not known, so that it can't be paid for");
      return undefined;
    }
    if ((isThirdPartyList || model.thirdParty === true) && this.exceedsFailoverLimit(model, quote, isThirdPartyList)) {
      this.exclude(model, tooDearReason(quote));
      return undefined;
    }
    const health = input.healthOf(model);
    const fit = fitWork(traits, task, input.promptFeatures);
    const prediction = input.predictor.predict(model, input.promptFeatures, fit, input.caller.accountId, predicted);
    const { quality, lower, evidence } = prediction;
    const time = expectedTime(model, health, quote);
    const candidate: Candidate = {
      model,
      quote,
      fit,
      quality,
      lowerQuality: lower,
      unlearnt: prediction.unlearnt,
      evidence,
      latencyMs: time.wholeMs,
      time,
      errorRate: health.errorRate,
      available: health.available,
      state: health.state,
      calls: health.calls,
      inFlight: health.inFlight,
      isWanted: !task.known && traits.listsWord(task.word),
      tierKind,
      tier: this.tiers.length,
    };
    const outOfBounds = outOfBoundsReason(candidate, inference);
    if (outOfBounds !== undefined) {
      this.outOfBounds = withAdded(this.outOfBounds, candidate);
      this.exclude(model, outOfBounds);
      return undefined;
    }
    if (health.available) return candidate;
    // Checked last, so that the list holds exactly the models that would serve if they were available.
    this.unavailable = withAdded(this.unavailable, candidate);
    this.exclude(model, "it failed repeatedly or asked for a pause, and is not called for a moment");
    return undefined;
  }

  /**
   * Another account's model, or one that another account's list leads to, costs at most twice what the client could expect
   * of the model that it named. Whether that one serves is up to its owner, so that its state does not matter.
   */
  private exceedsFailoverLimit(model: Model, quote: Quote, isThirdPartyList: boolean): boolean {
    const { inference, caller, quoteOf } = this.input;
    if (inference.model === undefined || inference.preferences.maxCost !== undefined) return false;
    if (!isThirdPartyList && !isThirdPartyTo(model, caller.accountId)) return false;
    if (this.failoverLimit === undefined) {
      let named: NanoCredits | undefined;
      for (const known of this.firstTier?.models ?? []) {
        const worst = isVisible(known, caller) ? quoteOf(known, traitsOf(known))?.worst : undefined;
        if (worst !== undefined && (named === undefined || worst < named)) named = worst;
      }
      this.failoverLimit = failoverLimitOf(named ?? 0n);
    }
    return quote.worst > this.failoverLimit;
  }

  private exclude(model: Model, reason: ExclusionReason): void {
    this.exclusions = withAdded(this.exclusions, { model, reason });
  }
}

function tooDearReason({ worst }: Quote): ExclusionReason {
  return () =>
    `it may cost ${formatCredits(worst)}, more than ${FAILOVER_FACTOR} times the named model, and max_cost does not allow it`;
}

const BUILTIN_REASON = "built-in models serve automatic requests only when no other model can";
