import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference, Task } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { PromptFeatures } from "@trunkline/core/prediction.ts";
import type { Excluded, Health, Quote } from "@trunkline/core/route.ts";
import type { Predictor } from "../predict/predictor.ts";
import type { Catalogue } from "./catalogue.ts";
import { listTiers, type Tier } from "./list-tiers.ts";
import type { EligibleModel } from "./prospect.ts";
import { CandidateFilter } from "./sieve.ts";
import { exceedsMaxOutput } from "./why-left-out.ts";

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
