import { CoalescedReload } from "@trunkline/core/background-work.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { idFromName, isId, newId } from "@trunkline/core/id.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { refuseExpiringKey } from "@trunkline/core/permissions.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { cloudCredentialOf } from "../credentials/cloud-credential.ts";
import { hasSameItems, indexModels, type ModelCatalogue, type RegisteredModel } from "./model-catalogue.ts";

/** An account's own key for a provider, without its secret. */
export interface ProviderKey {
  readonly id: string;
  readonly accountId: string;
  readonly provider: string;
  /** The key's last four characters, or those of the name of a cloud's credential. */
  readonly hint: string;
  /** Whether the operator's key is used, at the full price, when this one fails. */
  readonly fallback: boolean;
  readonly createdAt: Date;
}

export type ProviderKeyDraft = Omit<ProviderKey, "createdAt">;

export interface ProviderKeyStore {
  /** The keys of all accounts, with their secrets. A key is the same object as long as it is stored. */
  all(): Promise<(ProviderKey & { readonly key: Secret })[]>;
  /** An account's keys, the newest first, starting after the cursor. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<ProviderKey[]>;
  /** undefined if the account already has `max` keys. */
  create(draft: ProviderKeyDraft, key: Secret, max: number): Promise<ProviderKey | undefined>;
  /** False if there is no such key. */
  remove(accountId: string, id: string): Promise<boolean>;
}

interface ProviderKeysOptions {
  readonly store: ProviderKeyStore;
  readonly catalogue: ModelCatalogue;
  /** Whether the models of a provider, and their prices, are known. */
  readonly canServe: (providerId: string) => boolean;
  /** Why a credential can't be used for a provider; undefined where it can. */
  readonly explainUnfit: (providerId: string, credential: Secret) => string | undefined;
  /** Stores the models of a provider. */
  readonly addModels: (providerId: string) => Promise<void>;
  /** Whether the operator offers a discovered model. */
  readonly isOffered: (model: RegisteredModel) => boolean;
}

const KEYS_MAX = 20;
const HINT_LENGTH = 4;
/** A shorter key gets no hint, as its last four characters would reveal too much of it. */
const HINTED_KEY_LENGTH_MIN = 12;

/** The provider keys of accounts that pay their providers themselves, and the catalogue as those accounts see it. */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  #byAccount: ReadonlyMap<string, ReadonlyMap<string, ProviderKeySet>> = new Map();
  #views = new Map<string, AccountCatalogue>();
  /** The keys that both were made of. */
  #stored: readonly ProviderKey[] = [];
  readonly #reloader = new CoalescedReload(() => this.#load());

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
  }

  async create(caller: Caller, provider: string, key: Secret, fallback: boolean): Promise<ProviderKey> {
    refuseExpiringKey(caller);
    if (!this.#options.canServe(provider))
      throw new Fault("invalid_request", `The models of "${provider}" and their prices are not known here.`, {
        param: "provider",
      });
    const unfit = this.#options.explainUnfit(provider, key);
    if (unfit !== undefined) throw new Fault("invalid_request", unfit, { param: "key" });
    // Before the key: an account that has a key for a provider sees the provider's models.
    await this.#options.addModels(provider);
    const draft = { id: newId(), accountId: caller.accountId, provider, hint: hintOf(key), fallback };
    const created = await this.#options.store.create(draft, key, KEYS_MAX);
    if (created === undefined)
      throw new Fault("conflict", `An account has at most ${KEYS_MAX} provider keys. Remove one first.`);
    await this.reload();
    return created;
  }

  list({ accountId }: Caller, limit: number, cursor: string | undefined): Promise<ProviderKey[]> {
    return this.#options.store.list(accountId, limit, cursor);
  }

  async remove({ accountId }: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#options.store.remove(accountId, id)))
      throw new Fault("not_found", "You have no such provider key. List yours with GET /v1/provider-keys.");
    await this.reload();
  }

  /** The providers that any account has a key for. */
  providers(): ReadonlySet<string> {
    return new Set([...this.#byAccount.values()].flatMap((keys) => [...keys.keys()]));
  }

  /** Resolves when the keys are at least as new as this call. */
  reload(): Promise<void> {
    return this.#reloader.reload();
  }

  async #load(): Promise<void> {
    const stored = await this.#options.store.all();
    if (hasSameItems<ProviderKey>(stored, this.#stored)) return;
    this.#stored = stored;
    const byAccount = new Map<string, Map<string, ProviderKeySet>>();
    for (const { accountId, provider, key, fallback } of stored) {
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

  /** The catalogue as an account sees it: the shared one, with its own keys in place of the operator's. */
  catalogueFor({ accountId }: Pick<Caller, "accountId">): Pick<ModelCatalogue, "all" | "byName"> {
    const { catalogue, isOffered } = this.#options;
    const keys = this.#byAccount.get(accountId);
    if (keys === undefined) return catalogue;
    const known = this.#views.get(accountId);
    if (known?.isBuiltFrom(catalogue) === true) return known;
    const view = new AccountCatalogue({ accountId, keys, catalogue, isOffered });
    this.#views.set(accountId, view);
    return view;
  }
}

function hintOf(key: Secret): string {
  const text = cloudCredentialOf(key)?.label ?? key.reveal();
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
  /** The shared catalogue. */
  readonly catalogue: ModelCatalogue;
  readonly isOffered: ProviderKeysOptions["isOffered"];
}

class AccountCatalogue {
  readonly #shared: readonly Model[];
  /** Includes the models that only accounts' own keys can call. The shared list does not change with them. */
  readonly #stored: readonly RegisteredModel[];
  readonly #models: readonly Model[];
  readonly #byName: ReadonlyMap<string, readonly Model[]>;

  constructor({ accountId, keys, catalogue, isOffered }: AccountCatalogueOptions) {
    const models = catalogue.all();
    this.#shared = models;
    this.#stored = catalogue.stored();
    const shared = new Map(models.map((model) => [model.id, model]));
    const own = new Map<string, Model>();
    const fallbacks = new Map<string, readonly Model[]>();
    for (const model of this.#stored) {
      if (!isOffered(model)) continue;
      const ownKeys = keys.get(model.provider);
      if (model.discovered !== true || ownKeys === undefined || model.ownKeyPrice === undefined) continue;
      const fallback = ownKeys.fallback ? shared.get(model.id) : undefined;
      const fallbackName = `${fullNameOf(model)} by the operator's key`;
      if (fallback !== undefined) fallbacks.set(fallbackName, [fallback]);
      own.set(model.id, {
        ...model,
        // An id of its own keeps the health apart: one account's key says nothing about the provider for others.
        id: idFromName(`${accountId} ${model.id}`),
        keys: ownKeys.keys,
        ownKey: true,
        price: model.ownKeyPrice,
        backups: fallback === undefined ? [] : [fallbackName],
      });
    }
    this.#models = [...own.values(), ...models.filter(({ id }) => !own.has(id))];
    this.#byName = new Map([...indexModels(this.#models), ...fallbacks]);
  }

  /** Whether this view was built from the models that the shared catalogue has now. */
  isBuiltFrom(catalogue: ModelCatalogue): boolean {
    return this.#shared === catalogue.all() && this.#stored === catalogue.stored();
  }

  all(): readonly Model[] {
    return this.#models;
  }

  byName(name: string): readonly Model[] {
    return this.#byName.get(name) ?? [];
  }
}
