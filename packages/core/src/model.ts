import type { NanoCredits } from "./money.ts";
import type { Secret } from "./secret.ts";

export const MODEL_TYPES = ["text", "image", "audio", "multimodal", "embedding"] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** The formats in which providers are spoken to; ours is the first. */
export const WIRES = ["trunkline", "openai", "anthropic", "gemini", "bedrock", "cohere"] as const;
export type Wire = (typeof WIRES)[number];

/** What kinds of models can be called in each format. */
export const MODEL_TYPES_BY_WIRE: Readonly<Record<Wire, readonly ModelType[]>> = {
  trunkline: MODEL_TYPES,
  openai: MODEL_TYPES,
  anthropic: ["text", "multimodal"],
  gemini: ["text", "multimodal", "embedding", "image"],
  bedrock: ["text", "multimodal", "embedding"],
  cohere: ["text", "multimodal", "embedding"],
};

export const AUTH_TYPES = ["bearer", "x-api-key", "none"] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** How a credential is shown where nobody says: as the makers of the format do. */
export function defaultAuthType(wire: Wire): AuthType {
  return wire === "gemini" || wire === "anthropic" ? "x-api-key" : "bearer";
}

/**
 * pending: registered by another account, waits for its conformance check.
 * probation: passed it, gets a small share of automatic traffic.
 * active: routed. suspended: taken out by its owner or the operator.
 */
export const MODEL_STATES = ["pending", "probation", "active", "suspended", "blocked"] as const;
export type ModelState = (typeof MODEL_STATES)[number];

/** One version of a model's price. A change is a new version; a running request keeps the one it was quoted. */
export interface Price {
  readonly version: string;
  /** Nano-credits for a million tokens: twelve decimals of a credit per thousand. */
  readonly inputPerMillion: bigint;
  /** For input that the provider had in its cache; undefined: it costs as any other input. */
  readonly cachedInputPerMillion: bigint | undefined;
  /** For input that the provider puts into its cache; undefined: it costs as any other input. */
  readonly cacheWritePerMillion: bigint | undefined;
  readonly outputPerMillion: bigint;
  readonly perImage: NanoCredits;
  readonly perRequest: NanoCredits;
  /** Of audio, made or heard. */
  readonly perSecond: NanoCredits;
}

/** The price of what is free on purpose: every place is said. */
export const FREE_PRICE: Omit<Price, "version"> = {
  inputPerMillion: 0n,
  cachedInputPerMillion: undefined,
  cacheWritePerMillion: undefined,
  outputPerMillion: 0n,
  perImage: 0n,
  perRequest: 0n,
  perSecond: 0n,
};

/** How long and how much the service waits for a provider. */
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

/** A model that one provider offers. Two providers may offer one name: these are two of these. */
export interface Model {
  readonly id: string;
  /** The provider's short name; `provider/name` is unique. */
  readonly provider: string;
  readonly name: string;
  readonly type: ModelType;
  readonly description: string;
  /** The account that registered it; undefined for the built-in ones. */
  readonly accountId: string | undefined;
  /** How to talk to it. */
  readonly wire: Wire | "builtin";
  /** In our own format the address that is posted to; in the others the base of the provider's API. */
  readonly endpoint: string;
  /** The provider's own name for it, where that is another. */
  readonly upstreamModel?: string | undefined;
  /** What its provider takes off its price for work that may wait, in ten-thousandths; undefined: nothing. */
  readonly batchDiscount?: number | undefined;
  readonly authType: AuthType;
  readonly credential: Secret | undefined;
  /** Found by a key for its provider, and priced by the table that everybody can check: it is there as long as the key is. */
  readonly discovered?: boolean | undefined;
  /** Several keys in place of the one credential: each call takes the next, and a key that is refused rests. */
  readonly keys?: readonly Secret[] | undefined;
  /** The keys are those that the caller's account brought along, and the price is the fee for that. */
  readonly ownKey?: boolean | undefined;
  /** Registered by an operator's key: plain http and private addresses are allowed. */
  readonly mayDialPrivate: boolean;
  /** undefined: it can't be read. Such a model is never called, as nobody knows what that would cost. */
  readonly price: Price | undefined;
  /** What a request under an account's own key for the provider costs; undefined: there is no such thing here. */
  readonly ownKeyPrice?: Price | undefined;
  /** Known to its own account alone, whoever else asks. */
  readonly private?: boolean | undefined;
  /** Lower-case words. */
  readonly capabilities: readonly string[];
  readonly specialties: readonly string[];
  readonly avgLatencyMs: number | undefined;
  /** 0 to 1, as its provider claims. */
  readonly accuracyScore: number | undefined;
  readonly costEfficiency: string | undefined;
  readonly streaming: boolean;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Model names to try when this one fails. */
  readonly backups: readonly string[];
  readonly limits: CallLimits;
  readonly state: ModelState;
  /** How much of the load it takes among equal providers of its name, 0 to 1,000; undefined: 1. 0: only as a backup. */
  readonly weight?: number | undefined;
  /** In how much of the automatic requests it takes part, 0 to 1; undefined: as its state has it. */
  readonly canaryShare?: number | undefined;
}

const PROBATION_SHARE = 0.05;

/** In how much of the automatic requests a model takes part, 0 to 1. */
export function canaryShareOf({ canaryShare, state }: Pick<Model, "canaryShare" | "state">): number {
  return canaryShare ?? (state === "probation" ? PROBATION_SHARE : 1);
}

/** How much of the load a model takes among equal providers of its name. */
export function weightOf({ weight }: Pick<Model, "weight">): number {
  return weight ?? 1;
}

/** A model whose price is known. */
export interface PricedModel extends Model {
  readonly price: Price;
}

/** The name by which the provider knows it. */
export function upstreamNameOf({ upstreamModel, name }: Pick<Model, "upstreamModel" | "name">): string {
  return upstreamModel ?? name;
}

/** `provider/name`, the name that is unique. */
export function fullNameOf(model: Pick<Model, "provider" | "name">): string {
  return `${model.provider}/${model.name}`;
}

const cachedFullNames = new WeakMap<Model, string>();

/** The same, written down once for each model: for those that look up many models for every request. */
export function cachedFullNameOf(model: Model): string {
  const kept = cachedFullNames.get(model);
  if (kept !== undefined) return kept;
  const name = fullNameOf(model);
  cachedFullNames.set(model, name);
  return name;
}
