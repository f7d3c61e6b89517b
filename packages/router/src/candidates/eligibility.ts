import type { Caller } from "@trunkline/core/caller.ts";
import { attachmentsOf, textOf } from "@trunkline/core/conversation.ts";
import { brokenDataRule, type DataRules, joinDataRules } from "@trunkline/core/data-rules.ts";
import { Fault } from "@trunkline/core/fault.ts";
import {
  type Inference,
  type ProviderPreferences,
  REALTIME_TASK,
  RERANK,
  SPEECH_TRANSLATION,
  type TaskKind,
} from "@trunkline/core/inference.ts";
import { canaryShareOf, fullNameOf, type Model, type ModelType } from "@trunkline/core/model.ts";
import type { ModelTraits } from "@trunkline/core/model-traits.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import type { Candidate, Quote, TierKind } from "@trunkline/core/route.ts";
import { isAllowed } from "./catalogue.ts";

/** At most two for each. */
const MODEL_TYPES_BY_TASK: Readonly<Record<TaskKind, readonly [ModelType, ModelType?]>> = {
  chat: ["text", "multimodal"],
  text: ["text", "multimodal"],
  code: ["text", "multimodal"],
  analysis: ["text", "multimodal"],
  image: ["image"],
  audio: ["audio"],
  transcription: ["audio"],
  embedding: ["embedding"],
  multimodal: ["multimodal"],
};

/** Why a model can't serve. Reasons with values are formatted only when they are read, because every request is checked. */
export type ExclusionReason = string | (() => string);

/** A model that can't serve. */
export interface Exclusion {
  readonly model: Model;
  readonly reason: ExclusionReason;
}

export function reasonText({ reason }: Exclusion): string {
  return typeof reason === "string" ? reason : reason();
}

/** Says what is missing: which rule, and which models come into question apart from it. */
export function dataRulesFault(exclusions: readonly Exclusion[]): Fault {
  const shown = exclusions.slice(0, 3).map((exclusion) => `${fullNameOf(exclusion.model)}: ${reasonText(exclusion)}`);
  const more = exclusions.length > shown.length ? `; and ${exclusions.length - shown.length} more` : "";
  return new Fault(
    "data_rules_unmet",
    `No model that could serve this request keeps the data rules of the account, the key and the request. ${shown.join("; ")}${more}. Name a model that claims to, or change the rules.`,
  );
}

/** What a request needs, for the checks of all models. */
export interface RequestRequirements {
  readonly inference: Inference;
  readonly caller: Caller;
  /** Decides whether a model with a traffic share takes part. */
  readonly trafficKey: number;
  /** The rules of the account, the key and the request together; undefined: none. */
  readonly dataRules: DataRules | undefined;
  readonly hasAttachments: boolean;
  readonly hasAudio: boolean;
  /** Images to be changed that only models of OpenAI's format take: with a mask, or without words. */
  readonly needsImageOperations: boolean;
  readonly automaticModelTypes: readonly [ModelType, ModelType?];
}

/** Reads a request once for all models. */
export function requirementsOf(inference: Inference, caller: Caller, trafficKey: number): RequestRequirements {
  const attachments = attachmentsOf(inference.conversation);
  const hasAttachments = attachments.length > 0;
  const { kind } = inference.task;
  return {
    inference,
    caller,
    trafficKey,
    dataRules: joinDataRules(caller.dataRules, inference.preferences.dataRules),
    hasAttachments,
    hasAudio: hasAttachments && attachments.some((attachment) => attachment.kind === "audio"),
    needsImageOperations:
      hasAttachments &&
      kind === "image" &&
      (attachments.some(({ isMask }) => isMask === true) || textOf(inference.conversation) === ""),
    automaticModelTypes:
      MODEL_TYPES_BY_TASK[hasAttachments && kind !== "transcription" && kind !== "image" ? "multimodal" : kind],
  };
}

/** Why a model is of the wrong type. A named model may be of any type that can take the input. */
export function wrongTypeReason(
  { model, hears, speaks, reranks, isRealtime }: ModelTraits,
  tier: TierKind,
  requirements: RequestRequirements,
): ExclusionReason | undefined {
  const { task } = requirements.inference;
  const { kind, word } = task;
  if (isRealtime && task !== REALTIME_TASK) return "it is a realtime model, which GET /v1/realtime talks with";
  if (task === REALTIME_TASK && !(isRealtime && model.wire === "openai")) return "it is not a realtime model";
  if (kind === "transcription" && !hears) return "it does not list transcription";
  if (word === SPEECH_TRANSLATION && model.wire !== "openai") return "it writes down speech and does not translate it";
  if (word === RERANK && !(reranks && (model.wire === "openai" || model.wire === "cohere")))
    return "it does not rank documents";
  if (kind === "embedding" && reranks && word !== RERANK) return "it ranks documents and makes no embeddings";
  if (requirements.inference.parameters.tokens !== undefined && model.wire !== "openai")
    return "it takes texts and no tokens";
  if (kind === "image" && requirements.hasAttachments) return cannotChangeImagesReason(model, requirements);
  // Many providers price audio separately. Models that were discovered with a key have prices for text and images only.
  if (requirements.hasAudio && model.keys !== undefined && !hears) return "it is not priced for audio";
  if (kind === "audio" && hears && !speaks) return "it hears and does not speak";
  if (tier === "automatic" || tier === "built-in") {
    const { automaticModelTypes } = requirements;
    if (model.type === automaticModelTypes[0] || model.type === automaticModelTypes[1]) return undefined;
    return requirements.hasAttachments ? "only multimodal models take attachments" : unfitTypeReason(model.type);
  }
  if ((model.type === "embedding") !== (kind === "embedding")) {
    return model.type === "embedding"
      ? "it makes embeddings and cannot answer a request"
      : "it answers requests and makes no embeddings";
  }
  if (kind === "transcription") return undefined;
  if (requirements.hasAttachments && model.type !== "multimodal") return "only multimodal models take attachments";
  return undefined;
}

/** In a function of its own, so that the check of a model that fits sets up no scope for it. */
function unfitTypeReason(type: ModelType): ExclusionReason {
  return () => `its type ${type} does not fit the task`;
}

/** Why a model can't make an image out of others. */
function cannotChangeImagesReason(
  { type, wire }: Model,
  { needsImageOperations }: RequestRequirements,
): string | undefined {
  if (type === "image" && (wire === "openai" || (wire === "gemini" && !needsImageOperations))) return undefined;
  return "it makes no images out of others";
}

/** Why a model may not serve this caller, for any request. */
export function notAllowedReason(model: Model, tier: TierKind, requirements: RequestRequirements): string | undefined {
  if (model.state === "pending") return "it has not passed its conformance check yet";
  if (model.state === "suspended") return "it is suspended";
  if (model.state === "blocked") return "the service's operator has suspended it";
  if (!isAllowed(model, requirements.caller)) return "this key may not use it";
  const { providers } = requirements.inference.preferences;
  if (providers !== undefined && !isProviderWanted(model, providers)) return "the request leaves its provider out";
  if (providers !== undefined && exceedsMaxPrice(model, providers))
    return "its price is higher than the request allows";
  if (tier === "automatic" && !isInTrafficShare(model, requirements.trafficKey)) {
    const subject = model.state === "probation" ? "it is on probation and" : "it";
    const percent = Math.round(canaryShareOf(model) * 10_000) / 100;
    return `${subject} takes part in ${percent} % of the automatic requests, and not in this one`;
  }
  return undefined;
}

/** Why a model may not have the data of this request. The built-in models keep it in the service. */
export function brokenDataReason(model: Model, { dataRules }: RequestRequirements): string | undefined {
  return dataRules === undefined || model.wire === "builtin" ? undefined : brokenDataRule(dataRules, model.dataClaim);
}

export function exceedsContextWindow({ contextWindow }: Model, { inputTokens }: Quote): boolean {
  return contextWindow !== undefined && inputTokens + 1 > contextWindow;
}

function isProviderWanted({ provider }: Model, { only, ignore }: ProviderPreferences): boolean {
  const name = provider.toLowerCase();
  return only?.includes(name) !== false && !ignore.includes(name);
}

function exceedsMaxPrice({ price }: Model, { maxPrice }: ProviderPreferences): boolean {
  if (price === undefined || maxPrice === undefined) return false;
  const isAbove = (amount: bigint, bound: bigint | undefined) => bound !== undefined && amount > bound;
  return (
    isAbove(price.inputPerMillion, maxPrice.inputPerMillion) ||
    isAbove(price.outputPerMillion, maxPrice.outputPerMillion) ||
    isAbove(price.perRequest, maxPrice.perRequest) ||
    isAbove(price.perImage, maxPrice.perImage)
  );
}

export function exceedsMaxOutput(model: Model, inference: Inference): boolean {
  const { maxTokens } = inference.parameters;
  return maxTokens !== undefined && model.maxOutputTokens !== undefined && maxTokens > model.maxOutputTokens;
}

/** Which bound of the request or of the model itself a candidate exceeds. */
export function outOfBoundsReason(
  { model, quote, quality, latencyMs }: Candidate,
  inference: Inference,
): ExclusionReason | undefined {
  const { maxCost, maxLatencyMs, minQuality } = inference.preferences;
  if (exceedsContextWindow(model, quote)) {
    return () => `the input has about ${quote.inputTokens} tokens and its context window is ${model.contextWindow}`;
  }
  if (exceedsMaxOutput(model, inference)) return () => `it gives at most ${model.maxOutputTokens} output tokens`;
  if (maxCost !== undefined && quote.worst > maxCost) {
    return () => `it may cost ${formatCredits(quote.worst)}, more than max_cost`;
  }
  if (maxLatencyMs !== undefined && latencyMs > maxLatencyMs) {
    return () => `it is expected to take ${Math.round(latencyMs)} ms, more than max_latency_ms`;
  }
  if (minQuality !== undefined && quality < minQuality) {
    return () => `its predicted quality is ${quality.toFixed(2)}, less than min_quality`;
  }
  return undefined;
}

/** How much more than the first quote of a request failover to another account's model may cost. */
export const FAILOVER_FACTOR = 2;

export function failoverLimitOf(firstWorst: NanoCredits): NanoCredits {
  return firstWorst * BigInt(FAILOVER_FACTOR);
}

const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Decides with each model whether it takes part. All requests of a session have the same key, so that they get the same models. */
export function trafficKeyOf(
  { session }: Pick<Inference, "session">,
  { accountId }: Pick<Caller, "accountId">,
  requestId: string,
): number {
  if (session === undefined) return fnv1a(FNV_BASIS, requestId);
  return fnv1a(fnv1a(FNV_BASIS, accountId), session);
}

/** Whether a model takes part in an automatic request. Each model takes its own share, independently of the others. */
export function isInTrafficShare(model: Model, trafficKey: number): boolean {
  const share = canaryShareOf(model);
  return share >= 1 || hashFraction(trafficKey, model.id) < share;
}

/** A number from 0 up to 1 that depends on both: FNV-1a, and the finaliser of MurmurHash3. */
function hashFraction(trafficKey: number, modelId: string): number {
  let hash = fnv1a(trafficKey, modelId);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296;
}

function fnv1a(start: number, text: string): number {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash;
}
