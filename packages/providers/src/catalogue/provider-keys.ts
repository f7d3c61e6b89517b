import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { idFromName, isId, newId } from "@trunkline/core/id.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { indexModels, type ModelCatalogue, type RegisteredModel } from "./model-catalogue.ts";

/** A key for a provider that an account has brought along, as it may be shown. */
export interface ProviderKey {
  readonly id: string;
  readonly accountId: string;
  readonly provider: string;
  /** Its last four characters. */
  readonly hint: string;
  /** Whether the operator's key stands in, at the full price, where this one fails. */
  readonly fallback: boolean;
  readonly createdAt: Date;
}

/** One to be kept. */
export type ProviderKeyDraft = Omit<ProviderKey, "createdAt">;

export interface ProviderKeyStore {
  /** Every account's, with what they hide. */
  all(): Promise<(ProviderKey & { readonly key: Secret })[]>;
  /** An account's, the newest first, from the one before a given one on. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<ProviderKey[]>;
  /** undefined where the account has so many already. */
  create(draft: ProviderKeyDraft, key: Secret, most: number): Promise<ProviderKey | undefined>;
  /** False where there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
}

interface ProviderKeysOptions {
  readonly store: ProviderKeyStore;
  readonly catalogue: ModelCatalogue;
  /** Whether the models of a provider are known here. */
  readonly canServe: (providerId: string) => boolean;
  /** Puts the models of a provider among those that are kept. */
  readonly addModels: (providerId: string) => Promise<void>;
  /** Whether the operator lets a discovered model be used. */
  readonly isOffered: (model: RegisteredModel) => boolean;
}

const KEYS_MAX = 20;
const HINT_LENGTH = 4;
/** A key of which the last four characters would be half is not shown at all. */
const HINTED_KEY_LENGTH_MIN = 12;

/** What accounts bring along to pay their providers themselves, and what the catalogue is for them then. */
export class ProviderKeys {
  readonly #parts: ProviderKeysOptions;
  #byAccount: ReadonlyMap<string, ReadonlyMap<string, ProviderKeySet>> = new Map();
  #views = new Map<string, AccountCatalogue>();

  constructor(parts: ProviderKeysOptions) {
    this.#parts = parts;
  }

  async create(caller: Caller, provider: string, key: Secret, fallback: boolean): Promise<ProviderKey> {
    if (!this.#parts.canServe(provider))
      throw new Fault("invalid_request", `The models of "${provider}" and their prices are not known here.`, {
        param: "provider",
      });
    const draft = { id: newId(), accountId: caller.accountId, provider, hint: hintOf(key), fallback };
    const kept = await this.#parts.store.create(draft, key, KEYS_MAX);
    if (kept === undefined)
      throw new Fault("conflict", `An account has at most ${KEYS_MAX} provider keys. Remove one first.`);
    await this.#parts.addModels(provider);
    await this.reload();
    return kept;
  }

  list({ accountId }: Caller, limit: number, cursor: string | undefined): Promise<ProviderKey[]> {
    return this.#parts.store.list(accountId, limit, cursor);
  }

  async remove({ accountId }: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#parts.store.remove(accountId, id)))
      throw new Fault("not_found", "You have no such provider key. List yours with GET /v1/provider-keys.");
    await this.reload();
  }

  /** The providers that any account has a key for. */
  providers(): ReadonlySet<string> {
    return new Set([...this.#byAccount.values()].flatMap((keys) => [...keys.keys()]));
  }

  async reload(): Promise<void> {
    const byAccount = new Map<string, Map<string, ProviderKeySet>>();
    for (const { accountId, provider, key, fallback } of await this.#parts.store.all()) {
      const keys = byAccount.get(accountId) ?? new Map<string, ProviderKeySet>();
      const known = keys.get(provider);
      keys.set(provider, {
        keys: [...(known?.keys ?? []), key],
        fallback: fallback || (known?.fallback ?? false),
      });
      byAccount.set(accountId, keys);
    }
    this.#byAccount = byAccount;
    this.#views = new Map();
  }

  /** The catalogue as an account sees it: that of all, but where it pays the provider itself. */
  catalogueFor({ accountId }: Pick<Caller, "accountId">): Pick<ModelCatalogue, "all" | "byName"> {
    const { catalogue, isOffered } = this.#parts;
    const keys = this.#byAccount.get(accountId);
    if (keys === undefined) return catalogue;
    const known = this.#views.get(accountId);
    if (known?.isBuiltFrom(catalogue.all()) === true) return known;
    const view = new AccountCatalogue({
      accountId,
      keys,
      models: catalogue.all(),
      kept: catalogue.stored().filter(isOffered),
    });
    this.#views.set(accountId, view);
    return view;
  }
}

function hintOf(key: Secret): string {
  const text = key.reveal();
  return text.length < HINTED_KEY_LENGTH_MIN ? "" : text.slice(-HINT_LENGTH);
}

/** An account's keys for one provider. */
interface ProviderKeySet {
  /** Tried in the order in which they were stored. */
  readonly keys: readonly Secret[];
  readonly fallback: boolean;
}

interface AccountCatalogueOptions {
  readonly accountId: string;
  readonly keys: ReadonlyMap<string, ProviderKeySet>;
  /** The catalogue of all. */
  readonly models: readonly Model[];
  /** Discovered models, also those that the operator has no key for. */
  readonly kept: readonly RegisteredModel[];
}

/** The catalogue with an account's own keys in the place of the operator's. */
class AccountCatalogue {
  readonly #source: readonly Model[];
  readonly #models: readonly Model[];
  readonly #byName: ReadonlyMap<string, readonly Model[]>;

  constructor({ accountId, keys, models, kept }: AccountCatalogueOptions) {
    this.#source = models;
    const shared = new Map(models.map((model) => [model.id, model]));
    const own = new Map<string, Model>();
    const standIns = new Map<string, readonly Model[]>();
    for (const model of kept) {
      const ownKeys = keys.get(model.provider);
      if (model.discovered !== true || ownKeys === undefined || model.ownKeyPrice === undefined) continue;
      const standIn = ownKeys.fallback ? shared.get(model.id) : undefined;
      const standInName = `${fullNameOf(model)} by the operator's key`;
      if (standIn !== undefined) standIns.set(standInName, [standIn]);
      own.set(model.id, {
        ...model,
        // What becomes of one account's key says nothing of how the provider does for the others.
        id: idFromName(`${accountId} ${model.id}`),
        keys: ownKeys.keys,
        ownKey: true,
        price: model.ownKeyPrice,
        backups: standIn === undefined ? [] : [standInName],
      });
    }
    this.#models = [...own.values(), ...models.filter(({ id }) => !own.has(id))];
    this.#byName = new Map([...indexModels(this.#models), ...standIns]);
  }

  /** Whether it was made from these. */
  isBuiltFrom(models: readonly Model[]): boolean {
    return this.#source === models;
  }

  all(): readonly Model[] {
    return this.#models;
  }

  byName(name: string): readonly Model[] {
    return this.#byName.get(name) ?? [];
  }
}
