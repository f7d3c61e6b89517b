import { isDeepStrictEqual } from "node:util";
import { idFromName } from "@trunkline/core/id.ts";
import { DEFAULT_CALL_LIMITS, type Price, type PricedModel } from "@trunkline/core/model.ts";
import { divideUp } from "@trunkline/core/money.ts";
import type { ModelCatalogue } from "../catalogue/model-catalogue.ts";
import type { ModelStore, RegisteredModel } from "../catalogue/model-store.ts";
import { type KnownModel, knownModelsOf } from "./known-models.ts";
import { KNOWN_PROVIDERS, type KnownProvider } from "./known-providers.ts";

/** Where a provider is dialled, and whether the operator has said so. */
export interface ProviderBase {
  readonly url: string;
  readonly chosen: boolean;
}

interface DiscoveryOptions {
  readonly store: ModelStore;
  readonly catalogue: ModelCatalogue;
  readonly bases: ReadonlyMap<string, ProviderBase>;
  /** What a request under an account's own key costs, in millionths of the price. */
  readonly ownKeyFeePpm: bigint;
  /** Whether an account has a provider's name: it is shown all that is counted under it. */
  readonly isNameTaken: (providerId: string) => Promise<boolean>;
  /** Told of each provider that is passed over for that. */
  readonly onNameTaken: (providerId: string) => void;
}

const MILLION = 1_000_000n;

/** Puts the models of known providers among those that are kept, with their prices as they are now. Keys are never kept. */
export class Discovery {
  readonly #parts: DiscoveryOptions;

  constructor(parts: DiscoveryOptions) {
    this.#parts = parts;
  }

  /** Whether a provider's models can be had at all: its address and some of its prices are known. */
  canServe(providerId: string): boolean {
    return this.#parts.bases.has(providerId) && knownModelsOf(providerId).length > 0;
  }

  /** Makes sure that the models of these providers are kept, as the operator's. */
  async addModels(operatorId: string, providerIds: readonly string[]): Promise<void> {
    const { store, catalogue, isNameTaken: isTaken, onNameTaken: onTaken } = this.#parts;
    const free: string[] = [];
    for (const id of providerIds) {
      if (await isTaken(id)) onTaken(id);
      else free.push(id);
    }
    const kept = new Map(catalogue.stored().map((model) => [model.id, model]));
    const models = free.flatMap((id) => this.#modelsOf(id, operatorId));
    const news = models.filter((model) => hasChanged(model, kept.get(model.id)));
    if (news.length === 0) return;
    await store.upsertAll(
      news.map((model) => ({ ...model, createdAt: kept.get(model.id)?.createdAt ?? new Date() })),
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
    return {
      ...known,
      id: idFromName(`${known.provider}/${known.name}`),
      accountId: operatorId,
      wire,
      endpoint: base.url,
      authType,
      credential: undefined,
      mayDialPrivate: base.chosen,
      price: { ...known.price, version: "new" },
      ownKeyPrice: { ...ownKeyFee(known.price, this.#parts.ownKeyFeePpm), version: "new" },
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
}

/** The share of a price that is our fee, each place of it rounded up. */
export function ownKeyFee(price: Omit<Price, "version">, ppm: bigint): Omit<Price, "version"> {
  const share = (amount: bigint) => divideUp(amount * ppm, MILLION);
  return {
    inputPerMillion: share(price.inputPerMillion),
    cachedInputPerMillion:
      price.cachedInputPerMillion === undefined ? undefined : share(price.cachedInputPerMillion),
    cacheWritePerMillion:
      price.cacheWritePerMillion === undefined ? undefined : share(price.cacheWritePerMillion),
    outputPerMillion: share(price.outputPerMillion),
    perImage: share(price.perImage),
    perRequest: share(price.perRequest),
    perSecond: share(price.perSecond),
  };
}

/** Whether anything differs but what is the store's or the operator's to say. */
function hasChanged(model: RegisteredModel, kept: RegisteredModel | undefined): boolean {
  return kept === undefined || !isDeepStrictEqual(comparable(model), comparable(kept));
}

function comparable({ price, ownKeyPrice, weight: _weight, canaryShare: _share, ...model }: RegisteredModel) {
  const { state: _state, createdAt: _createdAt, blockedReason: _reason, keys: _keys, ...terms } = model;
  return {
    ...terms,
    price: price && { ...price, version: "" },
    ownKeyPrice: ownKeyPrice && { ...ownKeyPrice, version: "" },
  };
}
