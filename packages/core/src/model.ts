import type { DataClaim } from "./data-rules.ts";
import type { NanoCredits } from "./money.ts";
import type { Secret } from "./secret.ts";

export const MODEL_TYPES = ["text", "image", "audio", "multimodal", "embedding"] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** The wire formats for calling providers; the first is our own. */
export const WIRES = ["trunkline", "openai", "anthropic", "gemini", "bedrock", "cohere"] as const;
export type Wire = (typeof WIRES)[number];

/** Which types of models can be called in each format. */
export const MODEL_TYPES_BY_WIRE: Readonly<Record<Wire, readonly ModelType[]>> = {
  trunkline: MODEL_TYPES,
  openai: MODEL_TYPES,
  anthropic: ["text", "multimodal"],
  gemini: MODEL_TYPES,
  bedrock: ["text", "multimodal", "embedding"],
  cohere: ["text", "multimodal", "embedding"],
};

export const AUTH_TYPES = ["bearer", "x-api-key", "none"] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The vendor's own way to send a credential, used where none is configured. */
export function defaultAuthType(wire: Wire): AuthType {
  return wire === "gemini" || wire === "anthropic" ? "x-api-key" : "bearer";
}

/**
 * pending: registered by another account, waits for its conformance check. probation: passed it, gets a small share of
 * automatic traffic. active: routed. suspended: taken out of service by its owner or the operator.
 */
export const MODEL_STATES = ["pending", "probation", "active", "suspended", "blocked"] as const;
export type ModelState = (typeof MODEL_STATES)[number];

/**
 * One version of a model's price. A change creates a new version; a running request keeps the version it was quoted.
 */
export interface Price {
  readonly version: string;
  /** Nano-credits per million tokens: twelve decimals of a credit per thousand. */
  readonly inputPerMillion: bigint;
  /** For input that the provider read from its cache; undefined: the normal input price. */
  readonly cachedInputPerMillion: bigint | undefined;
  /** For input that the provider wrote to its cache; undefined: the normal input price. */
  readonly cacheWritePerMillion: bigint | undefined;
  readonly outputPerMillion: bigint;
  readonly perImage: NanoCredits;
  readonly perRequest: NanoCredits;
  /** For audio, input and output. */
  readonly perSecond: NanoCredits;
}

/** A price that holds from a moment on. */
export interface NextPrice {
  readonly price: Price;
  readonly effectiveAt: Date;
}

/** The price of a model that is free on purpose: every component is set. */
export const FREE_PRICE: Omit<Price, "version"> = {
  inputPerMillion: 0n,
  cachedInputPerMillion: undefined,
  cacheWritePerMillion: undefined,
  outputPerMillion: 0n,
  perImage: 0n,
  perRequest: 0n,
  perSecond: 0n,
};

export function isFree(price: Price): boolean {
  const { inputPerMillion, outputPerMillion, perImage, perRequest, perSecond } = price;
  return inputPerMillion + outputPerMillion + perImage + perRequest + perSecond === 0n;
}

/** The limits on the time and size of a provider's answer. */
export interface CallLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly wholeMs: number;
  readonly responseBytes: number;
  readonly chunkBytes: number;
}

export const DEFAULT_CALL_LIMITS: CallLimits = {
  connectMs: 3_000,
  firstByteMs: 30_000,
  silenceMs: 60_000,
  wholeMs: 300_000,
  responseBytes: 10 * 1024 * 1024,
  chunkBytes: 1024 * 1024,
};

/** A model of one provider. Two providers that offer a model of the same name are two models. */
export interface Model {
  readonly id: string;
  /** The provider's short name; `provider/name` is unique. */
  readonly provider: string;
  readonly name: string;
  readonly type: ModelType;
  readonly description: string;
  /** The account that registered it; undefined for the built-in ones. */
  readonly accountId: string | undefined;
  /** Registered by another account than the operator's. What it claims about names, prices and usage is bounded. */
  readonly thirdParty?: boolean | undefined;
  /** The wire format of the provider's API. */
  readonly wire: Wire | "builtin";
  /** In our own format the URL to post to; in the others the base URL of the provider's API. */
  readonly endpoint: string;
  /** The provider's name for the model, where it differs from `name`. */
  readonly upstreamModel?: string | undefined;
  /** The provider's discount for batch requests, in ten-thousandths; undefined: none. */
  readonly batchDiscount?: number | undefined;
  readonly authType: AuthType;
  readonly credential: Secret | undefined;
  /** Found with a provider key and priced from the public price table. It exists as long as that key does. */
  readonly discovered?: boolean | undefined;
  /** Several keys in place of one credential: calls rotate through them, and a refused key is paused. */
  readonly keys?: readonly Secret[] | undefined;
  /** The keys belong to the caller's account, and the price is the fee for using them. */
  readonly ownKey?: boolean | undefined;
  /** Registered by an operator's key: plain http and private addresses are allowed. */
  readonly mayDialPrivate: boolean;
  /** undefined: it can't be read. Such a model is never called, since the cost would be unknown. */
  readonly price: Price | undefined;
  /** A price that was announced and does not hold yet; undefined: none. */
  readonly nextPrice?: NextPrice | undefined;
  /** The fee for a request with an account's own provider key; undefined: such requests are not possible. */
  readonly ownKeyPrice?: Price | undefined;
  /** Visible to its own account only. */
  readonly private?: boolean | undefined;
  /** Lower-case words. */
  readonly capabilities: readonly string[];
  readonly specialties: readonly string[];
  readonly avgLatencyMs: number | undefined;
  /** 0 to 1, as the provider claims. */
  readonly accuracyScore: number | undefined;
  readonly costEfficiency: string | undefined;
  readonly streaming: boolean;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Model names to try when this one fails. */
  readonly backups: readonly string[];
  readonly limits: CallLimits;
  readonly state: ModelState;
  /** What its provider does with the data of requests, as claimed; undefined: nothing is claimed. */
  readonly dataClaim?: DataClaim | undefined;
  /** Its share of the load among equal providers of its name, 0 to 1,000; undefined: 1. 0: only as a backup. */
  readonly weight?: number | undefined;
  /** The share of automatic requests that may use it, 0 to 1; undefined: follows from its state. */
  readonly canaryShare?: number | undefined;
}

const PROBATION_SHARE = 0.05;

/** The share of automatic requests that may use a model, 0 to 1. */
export function canaryShareOf({ canaryShare, state }: Pick<Model, "canaryShare" | "state">): number {
  return canaryShare ?? (state === "probation" ? PROBATION_SHARE : 1);
}

/** A model's share of the load among equal providers of its name. */
export function weightOf({ weight }: Pick<Model, "weight">): number {
  return weight ?? 1;
}

/** A model whose price is known. */
export interface PricedModel extends Model {
  readonly price: Price;
}

/** The provider's name for the model. */
export function upstreamNameOf({ upstreamModel, name }: Pick<Model, "upstreamModel" | "name">): string {
  return upstreamModel ?? name;
}

/** `provider/name`, which is unique. */
export function fullNameOf(model: Pick<Model, "provider" | "name">): string {
  return `${model.provider}/${model.name}`;
}

const cachedFullNames = new WeakMap<Model, string>();

/** The same, built once per model: routing looks up many models for every request. */
export function cachedFullNameOf(model: Model): string {
  const cached = cachedFullNames.get(model);
  if (cached !== undefined) return cached;
  const name = fullNameOf(model);
  cachedFullNames.set(model, name);
  return name;
}
