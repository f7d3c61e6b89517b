import type { Caller } from "@trunkline/core/caller.ts";
import { attachmentsOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, type TaskKind } from "@trunkline/core/inference.ts";
import { canaryShareOf, type Model, type ModelType } from "@trunkline/core/model.ts";
import { formatCredits } from "@trunkline/core/money.ts";
import type { Prediction } from "@trunkline/core/prediction.ts";
import type { ExpectedTime, Health, Quote } from "@trunkline/core/route.ts";
import type { Fit } from "../predict/predictor.ts";
import { isAllowed, type TierKind } from "./catalogue.ts";

/** A model that can serve the request if there is money for it, with what it is ranked by. */
export interface EligibleModel {
  readonly model: Model;
  readonly quote: Quote;
  readonly health: Health;
  readonly fit: Fit;
  /** How good its answer to this request will be. */
  readonly prediction: Prediction;
  /** How long the whole answer will take. */
  readonly time: ExpectedTime;
  readonly tier: TierKind;
}

const MODEL_TYPES_BY_TASK: Readonly<Record<TaskKind, readonly ModelType[]>> = {
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

/** Why a model can't serve. What has to be put together is put into words only when somebody asks: this is judged for every request. */
export type ExclusionReason = string | (() => string);

/** What all models of one request are judged by. */
export interface RequestRequirements {
  readonly inference: Inference;
  readonly caller: Caller;
  /** What decides in which requests a model takes part. */
  readonly trafficKey: number;
  readonly hasAttachments: boolean;
  /** Something to be heard is attached. */
  readonly hasAudio: boolean;
  readonly automaticModelTypes: readonly ModelType[];
}

type AssessedModel = Pick<EligibleModel, "model" | "quote" | "prediction" | "time">;

/** Reads from a request what every model is compared with, once. */
export function requirementsOf(inference: Inference, caller: Caller, ticket: number): RequestRequirements {
  const attachments = attachmentsOf(inference.conversation);
  const attached = attachments.length > 0;
  const audible = attachments.some((attachment) => attachment.kind === "audio");
  const { kind } = inference.task;
  const automaticTypes = MODEL_TYPES_BY_TASK[attached && kind !== "transcription" ? "multimodal" : kind];
  return {
    inference,
    caller,
    trafficKey: ticket,
    hasAttachments: attached,
    hasAudio: audible,
    automaticModelTypes: automaticTypes,
  };
}

/** Why a model is of the wrong type. A named model is what the client wants, unless it can't take the input. */
export function wrongTypeReason(
  model: Model,
  tier: TierKind,
  requestRequirements: RequestRequirements,
): ExclusionReason | undefined {
  const { kind } = requestRequirements.inference.task;
  if (kind === "transcription" && !transcribes(model)) return "it does not list transcription";
  // Audio has a price of its own with many: a model that is found by a key is priced for text and pictures alone.
  if (requestRequirements.hasAudio && model.keys !== undefined && !transcribes(model))
    return "it is not priced for audio";
  if (kind === "audio" && transcribes(model) && !speaks(model)) return "it hears and does not speak";
  if (tier === "automatic" || tier === "built-in") {
    if (requestRequirements.automaticModelTypes.includes(model.type)) return undefined;
    return requestRequirements.hasAttachments
      ? "only multimodal models take attachments"
      : () => `its type ${model.type} does not fit the task`;
  }
  if ((model.type === "embedding") !== (kind === "embedding")) {
    return model.type === "embedding"
      ? "it makes embeddings and cannot answer a request"
      : "it answers requests and makes no embeddings";
  }
  if (kind === "transcription") return undefined;
  if (requestRequirements.hasAttachments && model.type !== "multimodal")
    return "only multimodal models take attachments";
  return undefined;
}

function transcribes({ capabilities }: Model): boolean {
  return capabilities.some((word) => normaliseTask(word).kind === "transcription");
}

function speaks({ capabilities }: Model): boolean {
  return capabilities.some((word) => normaliseTask(word).kind === "audio");
}

/** Why a model may not serve this caller, whatever the request says. */
export function notAllowedReason(
  model: Model,
  tier: TierKind,
  requestRequirements: RequestRequirements,
): string | undefined {
  if (model.state === "pending") return "it has not passed its conformance check yet";
  if (model.state === "suspended") return "it is suspended";
  if (model.state === "blocked") return "the service's operator has suspended it";
  if (!isAllowed(model, requestRequirements.caller)) return "this key may not use it";
  if (tier === "automatic" && !isInTrafficShare(model, requestRequirements.trafficKey)) {
    const standing = model.state === "probation" ? "it is on probation and" : "it";
    return `${standing} takes part in ${formatPercent(canaryShareOf(model))} of the automatic requests, and not in this one`;
  }
  return undefined;
}

function formatPercent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`;
}

/** Whether the request asks for a longer answer than the model can give. */
export function exceedsMaxOutput(model: Model, inference: Inference): boolean {
  const { maxTokens } = inference.parameters;
  return maxTokens !== undefined && model.maxOutputTokens !== undefined && maxTokens > model.maxOutputTokens;
}

/** Why a model breaks one of the bounds that the request or the model itself sets. */
export function outOfBoundsReason(
  { model, quote, prediction: { quality }, time: { wholeMs } }: AssessedModel,
  inference: Inference,
): ExclusionReason | undefined {
  const { maxCost, maxLatencyMs, minQuality } = inference.preferences;
  if (model.contextWindow !== undefined && quote.inputTokens + 1 > model.contextWindow) {
    return () => `the input has about ${quote.inputTokens} tokens and its context window is ${model.contextWindow}`;
  }
  if (exceedsMaxOutput(model, inference)) return () => `it gives at most ${model.maxOutputTokens} output tokens`;
  if (maxCost !== undefined && quote.worst > maxCost) {
    return () => `it may cost ${formatCredits(quote.worst)}, more than max_cost`;
  }
  if (maxLatencyMs !== undefined && wholeMs > maxLatencyMs) {
    return () => `it is expected to take ${Math.round(wholeMs)} ms, more than max_latency_ms`;
  }
  if (minQuality !== undefined && quality < minQuality) {
    return () => `its predicted quality is ${quality.toFixed(2)}, less than min_quality`;
  }
  return undefined;
}

const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** What decides, with each model, whether it takes part. A session has one for all its requests, so that it does not flip. */
export function trafficKeyOf(
  { session }: Pick<Inference, "session">,
  { accountId }: Pick<Caller, "accountId">,
  requestId: string,
): number {
  if (session === undefined) return fnv1a(FNV_BASIS, requestId);
  return fnv1a(fnv1a(FNV_BASIS, accountId), session);
}

/** Whether a model takes part in an automatic request: in its share of them, and each model by a draw of its own. */
export function isInTrafficShare(model: Model, ticket: number): boolean {
  const share = canaryShareOf(model);
  return share >= 1 || hashFraction(ticket, model.id) < share;
}

/** A number from 0 up to 1 that is always the same for the same two: FNV-1a, and the last mixing of MurmurHash3. */
function hashFraction(ticket: number, modelId: string): number {
  let hash = fnv1a(ticket, modelId);
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
