import { isDeepStrictEqual } from "node:util";
import type { DataClaim } from "@trunkline/core/data-rules.ts";
import { idFromName } from "@trunkline/core/id.ts";
import { DEFAULT_CALL_LIMITS, fullNameOf, type Price, type PricedModel } from "@trunkline/core/model.ts";
import { divideUp } from "@trunkline/core/money.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { DiscoveredModelKeys, ModelCatalogue, ModelStore, RegisteredModel } from "../catalogue/model-catalogue.ts";
import { explainUnfitCredential, USUAL_LOCATION } from "../credentials/cloud-credential.ts";
import { DOCUMENTED_CLAIMS } from "./documented-claims.ts";
import { isKnownModel, type KnownModel, knownModelsOf } from "./known-models.ts";
import { KNOWN_PROVIDERS, type KnownProvider } from "./known-providers.ts";

/** A provider's base URL, and whether the operator has set it. */
export interface ProviderBase {
  readonly url: string;
  readonly chosen: boolean;
  /** It stands in each credential instead. */
  readonly isInCredential?: boolean;
  /** The region of the operator's own requests, where prices differ by it. */
  readonly location?: string | undefined;
}

interface DiscoveryOptions {
  readonly store: ModelStore;
  readonly catalogue: ModelCatalogue;
  readonly bases: ReadonlyMap<string, ProviderBase>;
  /** What the operator claims of providers' data, by provider. It goes before what they have published. */
  readonly dataClaims: ReadonlyMap<string, DataClaim>;
  /** The fee for a request with an account's own key, in millionths of the price. */
  readonly ownKeyFeePpm: bigint;
  /** Whether an account uses a provider's name: that account can see everything counted under it. */
  readonly isNameTaken: (providerId: string) => Promise<boolean>;
  /** Called for each provider that is skipped for that reason. */
  readonly onNameTaken: (providerId: string) => void;
}

const MILLION = 1_000_000n;

/** Registers the models of known providers with their current prices. Keys are never stored. */
export class Discovery {
  readonly #parts: DiscoveryOptions;

  constructor(parts: DiscoveryOptions) {
    this.#parts = parts;
  }

  /** Whether a provider's models can be offered: its address and some of its prices are known. */
  canServe(providerId: string): boolean {
    return this.#parts.bases.has(providerId) && knownModelsOf(providerId).length > 0;
  }

  /** Why an account's own credential for a provider can't be used; undefined where it can. */
  explainUnfit(providerId: string, credential: Secret): string | undefined {
    const isAddressKnown = this.#parts.bases.get(providerId)?.isInCredential !== true;
    return explainUnfitCredential(providerId, credential.reveal(), isAddressKnown);
  }

  /** Makes sure that the models of these providers are registered, as the operator's. */
  async addModels(operatorId: string, providerIds: readonly string[]): Promise<void> {
    const { store, catalogue, isNameTaken, onNameTaken } = this.#parts;
    const free: string[] = [];
    for (const id of providerIds) {
      if (await isNameTaken(id)) onNameTaken(id);
      else free.push(id);
    }
    const stored = new Map(catalogue.stored().map((model) => [model.id, model]));
    const models = free.flatMap((id) => this.#modelsOf(id, operatorId));
    const changed = models.filter((model) => hasChanged(model, stored.get(model.id)));
    if (changed.length === 0) return;
    await store.upsertAll(
      changed.map((model) => ({ ...model, createdAt: stored.get(model.id)?.createdAt ?? new Date() })),
    );
    await catalogue.reload();
  }

  #modelsOf(providerId: string, operatorId: string): (RegisteredModel & PricedModel)[] {
    const provider = KNOWN_PROVIDERS.find(({ id }) => id === providerId);
    const base = this.#parts.bases.get(providerId);
    if (provider === undefined || base === undefined) return [];
    return knownModelsOf(providerId).map((known) => this.#modelOf(known, provider, base, operatorId));
  }

  #modelOf(known: KnownModel, { wire, authType }: KnownProvider, base: ProviderBase, operatorId: string) {
    const price = isDearerInRegion(known, base) ? scalePrice(known.price, REGIONAL_PPM) : known.price;
    return {
      ...known,
      id: idFromName(`${known.provider}/${known.name}`),
      accountId: operatorId,
      wire: known.wire ?? wire,
      endpoint:
        known.wire === "anthropic" ? base.url.replace(/\/publishers\/google$/, "/publishers/anthropic") : base.url,
      authType,
      credential: undefined,
      mayDialPrivate: base.chosen,
      dataClaim: this.#dataClaimOf(known.provider, base),
      price: { ...price, version: "new" },
      ownKeyPrice: { ...scalePrice(price, this.#parts.ownKeyFeePpm), version: "new" },
      specialties: [],
      avgLatencyMs: undefined,
      accuracyScore: undefined,
      costEfficiency: undefined,
      backups: [],
      limits: DEFAULT_CALL_LIMITS,
      state: "active" as const,
      declared: true,
      discovered: true,
      blockedReason: undefined,
      createdAt: new Date(0),
    };
  }

  /** What a provider has published holds for its own address, not for one that the operator has set in its place. */
  #dataClaimOf(providerId: string, base: ProviderBase): DataClaim | undefined {
    const documented = base.chosen ? undefined : DOCUMENTED_CLAIMS.get(providerId);
    return this.#parts.dataClaims.get(providerId) ?? documented;
  }
}

/**
 * What Claude costs in a region of Vertex AI, in millionths of its price in the global location. That is so from Claude 4.5
 * on (platform.claude.com/docs/en/about-claude/pricing), and the table has no earlier ones there.
 */
const REGIONAL_PPM = 1_100_000n;

function isDearerInRegion({ provider, wire }: KnownModel, { location = USUAL_LOCATION }: ProviderBase): boolean {
  return provider === "vertex" && wire === "anthropic" && location !== USUAL_LOCATION;
}

/** A share of a price, or a multiple of it, each component rounded up. */
function scalePrice(price: Omit<Price, "version">, ppm: bigint): Omit<Price, "version"> {
  const share = (amount: bigint) => divideUp(amount * ppm, MILLION);
  return {
    inputPerMillion: share(price.inputPerMillion),
    cachedInputPerMillion: price.cachedInputPerMillion === undefined ? undefined : share(price.cachedInputPerMillion),
    cacheWritePerMillion: price.cacheWritePerMillion === undefined ? undefined : share(price.cacheWritePerMillion),
    outputPerMillion: share(price.outputPerMillion),
    perImage: share(price.perImage),
    perRequest: share(price.perRequest),
    perSecond: share(price.perSecond),
  };
}

/** Whether anything differs except the fields that the store or the operator sets. */
function hasChanged(model: RegisteredModel, stored: RegisteredModel | undefined): boolean {
  return stored === undefined || !isDeepStrictEqual(comparable(model), comparable(stored));
}

function comparable({ price, ownKeyPrice, weight: _weight, canaryShare: _share, ...model }: RegisteredModel) {
  const {
    state: _state,
    thirdParty: _thirdParty,
    nextPrice: _nextPrice,
    createdAt: _createdAt,
    blockedReason: _reason,
    keys: _keys,
    ...terms
  } = model;
  return {
    ...terms,
    price: price && { ...price, version: "" },
    ownKeyPrice: ownKeyPrice && { ...ownKeyPrice, version: "" },
  };
}

/** What decides which discovered models are offered. */
interface OfferingRules {
  readonly providers: readonly { readonly id: string; readonly keys: readonly Secret[] }[];
  readonly allow: readonly RegExp[];
  readonly deny: readonly RegExp[];
}

interface ModelName {
  readonly provider: string;
  readonly name: string;
}

/** Which discovered models can be called here, and with which keys. */
export class OfferedModelKeys implements DiscoveredModelKeys {
  readonly #offeringRules: OfferingRules;
  readonly #keys: ReadonlyMap<string, readonly Secret[]>;
  /**
   * The models that each provider listed for our keys; no entry for a provider that was not asked or did not answer.
   */
  readonly #listed = new Map<string, ReadonlySet<string>>();

  constructor(offeringRules: OfferingRules) {
    this.#offeringRules = offeringRules;
    this.#keys = new Map(offeringRules.providers.map(({ id, keys }) => [id, keys]));
  }

  keysFor(model: ModelName): readonly Secret[] | undefined {
    if (!this.isOffered(model)) return undefined;
    const listed = this.#listed.get(model.provider);
    if (listed !== undefined && !isListed(model.name, listed)) return undefined;
    return this.#keys.get(model.provider);
  }

  /**
   * Whether the operator offers a model, if there is a key for it. A model that was removed from the price table is no
   * longer offered.
   */
  isOffered(model: ModelName): boolean {
    const name = fullNameOf(model);
    const { allow, deny } = this.#offeringRules;
    return (
      isKnownModel(model) &&
      (allow.length === 0 || allow.some((pattern) => pattern.test(name))) &&
      !deny.some((pattern) => pattern.test(name))
    );
  }

  /** Records the models that a provider listed for our keys. */
  setListedModels(providerId: string, names: readonly string[]): void {
    this.#listed.set(providerId, new Set(names));
  }
}

/**
 * Providers list some models with a date, such as `claude-opus-4-5-20251101`, and Gemini lists them under `models/`.
 */
function isListed(name: string, listed: ReadonlySet<string>): boolean {
  if (listed.has(name)) return true;
  for (const id of listed) {
    const bare = id.slice(id.lastIndexOf("/") + 1);
    if (bare === name || id.endsWith(`/${name}`)) return true;
    if (bare.startsWith(`${name}-`) && /^(latest|\d[\d-]*)$/.test(bare.slice(name.length + 1))) return true;
  }
  return false;
}
