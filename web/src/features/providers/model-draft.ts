import type { BodyOf } from "@trunkline/sdk";
import type { OwnModel } from "./provider-queries.ts";

export type Registration = BodyOf<"POST /v1/provider/models">;
export type ModelType = Registration["type"];
export type AuthType = NonNullable<Registration["auth_type"]>;
export type Wire = NonNullable<Registration["wire"]>;

export const PRICE_FIELDS = [
  "input_per_1k_tokens",
  "output_per_1k_tokens",
  "cached_input_per_1k_tokens",
  "cache_write_per_1k_tokens",
  "per_request",
  "per_image",
  "per_second",
] as const;
export type PriceField = (typeof PRICE_FIELDS)[number];
export type Prices = { readonly [Field in PriceField]: number | undefined };

export const LIMIT_FIELDS = [
  "connect_ms",
  "first_byte_ms",
  "silence_ms",
  "whole_ms",
  "response_bytes",
  "chunk_bytes",
] as const;
export type LimitField = (typeof LIMIT_FIELDS)[number];

/** A model as typed into the form. Lists are texts with commas; empty fields are left out. */
export interface ModelDraft {
  readonly name: string;
  readonly type: ModelType;
  readonly description: string;
  readonly endpoint: string;
  readonly wire: Wire;
  /** The provider's own name for it; empty: the same. */
  readonly upstreamModel: string;
  readonly authType: AuthType;
  /** Never filled in from what is kept: it can be replaced and not read. */
  readonly credential: string;
  readonly prices: Prices;
  readonly capabilities: string;
  readonly specialties: string;
  readonly streaming: boolean;
  readonly contextWindow: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly backups: string;
  readonly accuracy: number | undefined;
  readonly latencyMs: number | undefined;
  readonly costEfficiency: string;
  readonly limits: { readonly [Field in LimitField]: number | undefined };
}

export const NO_PRICES: Prices = {
  input_per_1k_tokens: undefined,
  output_per_1k_tokens: undefined,
  cached_input_per_1k_tokens: undefined,
  cache_write_per_1k_tokens: undefined,
  per_request: undefined,
  per_image: undefined,
  per_second: undefined,
};

/** A form before anything is typed. */
export const NEW_DRAFT: ModelDraft = {
  name: "",
  type: "text",
  description: "",
  endpoint: "",
  wire: "openai",
  upstreamModel: "",
  authType: "bearer",
  credential: "",
  prices: NO_PRICES,
  capabilities: "",
  specialties: "",
  streaming: true,
  contextWindow: undefined,
  maxOutputTokens: undefined,
  backups: "",
  accuracy: undefined,
  latencyMs: undefined,
  costEfficiency: "",
  limits: {
    connect_ms: undefined,
    first_byte_ms: undefined,
    silence_ms: undefined,
    whole_ms: undefined,
    response_bytes: undefined,
    chunk_bytes: undefined,
  },
};

/** Operations of the formats whose endpoint is a base URL. People paste the address of one of them. */
const OPERATION = /\/(?:chat\/completions|completions|responses|embeddings|messages)\/?$/i;

/** A base URL without the operation that was pasted with it, and that operation. */
export function splitEndpoint(text: string, wire: Wire): { readonly base: string; readonly operation?: string } {
  const match = wire === "openai" || wire === "anthropic" ? OPERATION.exec(text.trim()) : null;
  if (match === null) return { base: text };
  return { base: text.trim().slice(0, match.index), operation: match[0].replace(/\/$/, "") };
}

/** The form of a model that is there. */
export function draftOf(model: OwnModel): ModelDraft {
  return {
    name: model.name,
    type: model.type,
    description: model.description ?? "",
    endpoint: model.endpoint,
    wire: model.wire ?? "trunkline",
    upstreamModel: model.upstream_model ?? "",
    authType: model.auth_type ?? "none",
    credential: "",
    prices: pricesOf(model.pricing),
    capabilities: (model.capabilities ?? []).join(", "),
    specialties: (model.specialties ?? []).join(", "),
    streaming: model.streaming ?? false,
    contextWindow: model.context_window,
    maxOutputTokens: model.max_output_tokens,
    backups: (model.backups ?? []).join(", "),
    accuracy: model.performance?.accuracy_score,
    latencyMs: model.performance?.avg_latency_ms,
    costEfficiency: model.cost_efficiency ?? "",
    limits: { ...NEW_DRAFT.limits, ...model.limits },
  };
}

/** The prices that apply: a zero for a quantity that is not charged was never typed. */
export function pricesOf(pricing: OwnModel["pricing"]): Prices {
  if (pricing === null) return NO_PRICES;
  const { per_request, per_image, per_second, ...tokens } = pricing;
  return {
    ...NO_PRICES,
    ...tokens,
    cached_input_per_1k_tokens: pricing.cached_input_per_1k_tokens ?? undefined,
    cache_write_per_1k_tokens: pricing.cache_write_per_1k_tokens ?? undefined,
    per_request: per_request || undefined,
    per_image: per_image || undefined,
    per_second: per_second || undefined,
  };
}

/** The body of a registration. */
export function registrationOf(draft: ModelDraft): Registration {
  return { ...bodyOf(draft), name: draft.name.trim(), type: draft.type, endpoint: draft.endpoint.trim() };
}

/** The body of a change: what differs from what is kept, and nothing else. */
export function changeOf(draft: ModelDraft, kept: ModelDraft): Partial<Registration> {
  const [now, before] = [bodyOf({ ...draft, prices: emptied(draft.prices, kept.prices) }), bodyOf(kept)];
  const changed = Object.entries(now).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof before]),
  );
  return Object.fromEntries(changed);
}

/** A price that was there and is emptied is nothing from now on, and not what it was. */
function emptied(now: Prices, before: Prices): Prices {
  const fields = PRICE_FIELDS.map((field) => [field, now[field] ?? (before[field] === undefined ? undefined : 0)]);
  return Object.fromEntries(fields) as Prices;
}

function bodyOf(draft: ModelDraft) {
  return {
    type: draft.type,
    description: draft.description.trim(),
    endpoint: draft.endpoint.trim(),
    wire: draft.wire,
    upstream_model: draft.upstreamModel.trim() || null,
    auth_type: draft.authType,
    ...(draft.authType === "none" || draft.credential === "" ? {} : { credential: draft.credential }),
    pricing: said(draft.prices),
    capabilities: wordsIn(draft.capabilities),
    specialties: wordsIn(draft.specialties),
    streaming: draft.streaming,
    ...said({ context_window: draft.contextWindow, max_output_tokens: draft.maxOutputTokens }),
    backups: wordsIn(draft.backups),
    performance: said({ accuracy_score: draft.accuracy, avg_latency_ms: draft.latencyMs }),
    ...(draft.costEfficiency === "" ? {} : { cost_efficiency: draft.costEfficiency }),
    limits: said(draft.limits),
  };
}

/** Leaves out what is not said. */
function said<Fields extends Readonly<Record<string, unknown>>>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

function wordsIn(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
