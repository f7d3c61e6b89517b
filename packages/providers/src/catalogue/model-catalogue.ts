import { CoalescedReload } from "@trunkline/core/fresh-load.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { ModelStore, RegisteredModel } from "./model-store.ts";

/** Says which discovered models can be called, and by which keys. */
export interface DiscoveredModelKeys {
  /** undefined: there is no key for it, or it is not offered. */
  keysFor(model: RegisteredModel): readonly Secret[] | undefined;
}

const NO_KEYS: DiscoveredModelKeys = { keysFor: () => undefined };

/** Every model in memory, rebuilt whenever one changes anywhere. A running request keeps the copy it was quoted from. */
export class ModelCatalogue {
  readonly #store: ModelStore;
  readonly #builtins: readonly Model[];
  readonly #discovered: DiscoveredModelKeys;
  #stored: readonly RegisteredModel[] = [];
  #local: readonly Model[] = [];
  #models: readonly Model[];
  #registered: readonly RegisteredModel[] = [];
  #registeredAt: ReadonlyMap<string, Date> = new Map();
  #byName: ReadonlyMap<string, readonly Model[]>;
  readonly #reloader = new CoalescedReload(async () => {
    this.#stored = await this.#store.all();
    this.rebuild();
  });

  constructor(store: ModelStore, builtins: readonly Model[], discovered: DiscoveredModelKeys = NO_KEYS) {
    this.#store = store;
    this.#builtins = builtins;
    this.#discovered = discovered;
    this.#models = builtins;
    this.#byName = indexModels(builtins);
  }

  all(): readonly Model[] {
    return this.#models;
  }

  /** `name`, which several providers may offer, or `provider/name`. */
  byName(name: string): readonly Model[] {
    return this.#byName.get(name) ?? [];
  }

  /** When a model was registered; undefined for the built-in ones. */
  registeredAt(model: Model): Date | undefined {
    return this.#registeredAt.get(fullNameOf(model));
  }

  /** Every model that is kept, also those discovered ones that nobody here has a key for. */
  stored(): readonly RegisteredModel[] {
    return this.#stored;
  }

  /** Every registered model, of all accounts. */
  registered(): readonly RegisteredModel[] {
    return this.#registered;
  }

  registeredBy(accountId: string): readonly RegisteredModel[] {
    return this.#registered.filter((model) => model.accountId === accountId);
  }

  onProbation(): readonly RegisteredModel[] {
    return this.#registered.filter((model) => model.state === "probation");
  }

  /** Resolves when the catalogue is at least as new as this call. Many calls at once cost at most two look-ups. */
  reload(): Promise<void> {
    return this.#reloader.reload();
  }

  /** These run on this machine, as far as was seen last. */
  setLocalModels(models: readonly Model[]): void {
    this.#local = models;
    this.rebuild();
  }

  /** To be called where something but the store has changed: which keys there are, or what runs on this machine. */
  rebuild(): void {
    this.#registered = this.#stored.flatMap((model) => {
      if (model.discovered !== true) return [model];
      const keys = this.#discovered.keysFor(model);
      return keys === undefined ? [] : [{ ...model, keys }];
    });
    this.#registeredAt = new Map(this.#stored.map((model) => [fullNameOf(model), model.createdAt]));
    this.#models = [...this.#registered, ...this.#local, ...this.#builtins];
    this.#byName = indexModels(this.#models);
  }
}

/** Models by their names and full names. Where one's name is another's full name, the full name counts: it is unique. */
export function indexModels(models: readonly Model[]): ReadonlyMap<string, readonly Model[]> {
  const index = new Map<string, Model[]>();
  const fullNames = new Set(models.map(fullNameOf));
  for (const model of models) {
    const keys = fullNames.has(model.name) ? [fullNameOf(model)] : [model.name, fullNameOf(model)];
    for (const key of keys) {
      const known = index.get(key);
      if (known === undefined) index.set(key, [model]);
      else known.push(model);
    }
  }
  return index;
}
