import { idFromName } from "@trunkline/core/id.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { indexModels } from "./model-catalogue.ts";
import type { RegisteredModel } from "./model-store.ts";

/** An account's keys for one provider. */
export interface ProviderKeySet {
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
export class AccountCatalogue {
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
