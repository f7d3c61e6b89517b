import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference, Task, TaskKind } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import type { Excluded, Health, Quote } from "@trunkline/core/route.ts";
import { expectedTime } from "../predict/expected-time.ts";
import { fitTask, type Predictor } from "../predict/predictor.ts";
import { type Catalogue, isVisible, listTiers, type Tier, type TierKind } from "./catalogue.ts";
import {
  type EligibleModel,
  type ExclusionReason,
  exceedsMaxOutput,
  notAllowedReason,
  outOfBoundsReason,
  type RequestRequirements,
  requirementsOf,
  wrongTypeReason,
} from "./eligibility.ts";

/** Everything that can serve a request, before anybody looked at the money. */
export interface CandidatePool {
  readonly task: Task;
  readonly promptFeatures: PromptFeatures;
  /** Tried one after the other; none is empty, and there is at least one. */
  readonly tiers: readonly (readonly EligibleModel[])[];
  /** Who can't, and why. A function, as a getter of its own would give every request a hidden class of its own. */
  readonly excluded: () => readonly Excluded[];
  /** The smallest worst case among them: funds that don't cover this cover none. */
  readonly cheapestWorst: NanoCredits;
  /** The largest worst case among them: funds that cover this cover every one. */
  readonly dearestWorst: NanoCredits;
}

export interface FindCandidatesInput {
  readonly catalogue: Catalogue;
  readonly healthOf: (model: Model) => Health;
  /** undefined where the model's price is not known. */
  readonly quoteOf: (model: Model, inference: Inference) => Quote | undefined;
  readonly predictor: Predictor;
  /** What the predictor made of the request. */
  readonly promptFeatures: PromptFeatures;
  readonly caller: Caller;
  readonly inference: Inference;
  /** What decides in which requests a model takes part that takes part in a share of them alone. */
  readonly trafficKey: number;
}

/** Finds every model that can serve a request, or says in words why none can. */
export function findCandidates(input: FindCandidatesInput): CandidatePool {
  const { inference } = input;
  const listed = listTiers(input.catalogue, input.caller, inference);
  refuseWrongModality(listed, inference);
  refuseExcessiveMaxTokens(listed, inference);

  const candidateFilter = new CandidateFilter(input);
  const tiers = listed
    .map((tier) => candidateFilter.filterTier(tier))
    .filter((eligibleModels) => eligibleModels.length > 0);
  if (tiers.length === 0) {
    const lastResort = candidateFilter.takeUnavailable();
    const instead = lastResort.length > 0 ? lastResort : candidateFilter.takeBuiltins();
    if (instead.length === 0) throw candidateFilter.noModelFault();
    tiers.push(instead);
  }
  return {
    task: inference.task,
    promptFeatures: input.promptFeatures,
    tiers,
    excluded: () => candidateFilter.excluded(),
    ...worstCasesOf(tiers),
  };
}

function worstCasesOf(tiers: readonly (readonly EligibleModel[])[]) {
  let cheapestWorst: NanoCredits | undefined;
  let dearestWorst: NanoCredits = 0n;
  for (const eligibleModels of tiers) {
    for (const { quote } of eligibleModels) {
      if (cheapestWorst === undefined || quote.worst < cheapestWorst) cheapestWorst = quote.worst;
      if (quote.worst > dearestWorst) dearestWorst = quote.worst;
    }
  }
  return { cheapestWorst: cheapestWorst ?? 0n, dearestWorst };
}

/** A model that was named is served whatever the task's word, but a text model can't draw or speak. */
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

/** The client named both the model and the length, so that it is the one who has to change something. */
function refuseExcessiveMaxTokens(tiers: readonly Tier[], inference: Inference): void {
  const [first] = tiers;
  if (first?.kind !== "named" || !first.models.every((model) => exceedsMaxOutput(model, inference))) return;
  const limit = Math.max(...first.models.map((model) => model.maxOutputTokens ?? 0));
  throw new Fault(
    "invalid_request",
    `The model "${inference.model}" gives at most ${limit} output tokens. Lower max_tokens to ${limit} or less.`,
    { param: "parameters.max_tokens" },
  );
}

const RETRY_AFTER_SECONDS = 30;

/** Which built-in model stands in for which kind of work, when no registered one can. */
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

/** A model that can't serve, as it is kept until somebody asks why. */
interface Exclusion {
  readonly model: Model;
  readonly reason: ExclusionReason;
}

interface CandidateFilterInput {
  readonly healthOf: (model: Model) => Health;
  readonly quoteOf: (model: Model, inference: Inference) => Quote | undefined;
  readonly predictor: Predictor;
  readonly promptFeatures: PromptFeatures;
  readonly caller: Caller;
  readonly inference: Inference;
  readonly trafficKey: number;
}

/** Parts the models that can serve one request from those that can't, and remembers why not. */
class CandidateFilter {
  readonly #input: CandidateFilterInput;
  readonly #requirements: RequestRequirements;
  readonly #taken: Model[] = [];
  /** Models that were judged because a name led to them: the same rules hold for all such tiers. */
  readonly #evaluatedByName = new Set<string>();
  readonly #builtins: Model[] = [];
  readonly #exclusions: Exclusion[] = [];
  readonly #wrongType: Exclusion[] = [];
  /** Models that would serve if their breakers let calls through. */
  readonly #unavailable: EligibleModel[] = [];

  constructor(input: CandidateFilterInput) {
    this.#input = input;
    this.#requirements = requirementsOf(input.inference, input.caller, input.trafficKey);
  }

  /** The models of a tier that can serve and that no earlier tier has taken. */
  filterTier({ kind, models }: Tier): EligibleModel[] {
    const eligibleModels: EligibleModel[] = [];
    const automatic = kind === "automatic";
    for (const model of models) {
      if (!isVisible(model, this.#input.caller)) continue;
      if (automatic && model.wire === "builtin") {
        this.#builtins.push(model);
        continue;
      }
      if (!automatic) {
        if (this.#isTaken(model) || this.#evaluatedByName.has(model.id)) continue;
        this.#evaluatedByName.add(model.id);
      }
      const eligibleModel = this.#evaluate(model, kind);
      if (eligibleModel === undefined) continue;
      this.#taken.push(model);
      eligibleModels.push(eligibleModel);
    }
    return eligibleModels;
  }

  /** What is merely down is better than nothing: a breaker never takes away the last candidates. */
  takeUnavailable(): EligibleModel[] {
    for (const { model } of this.#unavailable) this.#taken.push(model);
    return this.#unavailable;
  }

  /** A built-in model never hides an outage, so it comes after everything that is merely down. */
  takeBuiltins(): EligibleModel[] {
    const name = BUILTIN_FALLBACKS[this.#input.inference.task.kind];
    return this.filterTier({
      kind: "built-in",
      models: this.#builtins.filter((model) => model.name === name),
    });
  }

  /** What can't serve, each model once, the instructive cases first. In words, so only for those who ask. */
  excluded(): Excluded[] {
    const reasons = new Map<string, string>();
    for (const exclusion of this.#exclusions) reasons.set(fullNameOf(exclusion.model), reasonText(exclusion));
    for (const exclusion of this.#wrongType) reasons.set(fullNameOf(exclusion.model), reasonText(exclusion));
    for (const model of this.#builtins) reasons.set(fullNameOf(model), BUILTIN_REASON);
    // A model that was left out at first may still be taken: because a fallback names it, or as the last resort.
    for (const model of this.#taken) reasons.delete(fullNameOf(model));
    return Array.from(reasons, ([model, reason]) => ({ model, reason }));
  }

  /** The refusal of a request that no model can serve. */
  noModelFault(): Fault {
    const { inference } = this.#input;
    // Of an automatic request nobody wants to read about every image model that can't chat.
    const telling = inference.model === undefined ? this.#exclusions : [...this.#exclusions, ...this.#wrongType];
    const shown = telling.slice(0, 3).map((exclusion) => `${fullNameOf(exclusion.model)}: ${reasonText(exclusion)}`);
    const message =
      shown.length === 0
        ? `No registered model ${this.#requirements.hasAttachments ? "takes attachments" : `fits the task "${inference.task.word}"`}.`
        : `No model can serve this request. ${shown.join("; ")}.`;
    return new Fault("no_model_available", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  #evaluate(model: Model, tier: TierKind): EligibleModel | undefined {
    const wrongType = wrongTypeReason(model, tier, this.#requirements);
    if (wrongType !== undefined) {
      this.#wrongType.push({ model, reason: wrongType });
      return undefined;
    }
    const barred = notAllowedReason(model, tier, this.#requirements);
    if (barred !== undefined) return this.#exclude(model, barred);

    const { inference, predictor, promptFeatures, caller } = this.#input;
    const quote = this.#input.quoteOf(model, inference);
    if (quote === undefined) return this.#exclude(model, "its price is not known, so that it can't be paid for");
    const health = this.#input.healthOf(model);
    const fit = fitTask(model, inference.task);
    const prediction = predictor.predict(model, promptFeatures, fit, caller.accountId);
    const time = expectedTime(model, health, quote);
    const prospect = { model, quote, health, fit, prediction, time, tier };
    const outOfBounds = outOfBoundsReason(prospect, inference);
    if (outOfBounds !== undefined) return this.#exclude(model, outOfBounds);

    // Last, so that the list holds exactly the models that would serve if they were up.
    if (!health.available) {
      this.#unavailable.push(prospect);
      return this.#exclude(model, "it failed repeatedly or asked for a pause, and is not called for a moment");
    }
    return prospect;
  }

  #exclude(model: Model, exclusionReason: ExclusionReason): undefined {
    this.#exclusions.push({ model, reason: exclusionReason });
    return undefined;
  }

  #isTaken({ id }: Model): boolean {
    return this.#taken.some((model) => model.id === id);
  }
}

const BUILTIN_REASON = "built-in models serve automatic requests only when no other model can";

function reasonText({ reason: exclusionReason }: Exclusion): string {
  return typeof exclusionReason === "string" ? exclusionReason : exclusionReason();
}
