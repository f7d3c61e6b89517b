import { fullNameOf, type Model } from "../domain/model.ts";
import type { ModelStore, RegisteredModel } from "./model-store.ts";

/** Every model in memory, rebuilt whenever one changes anywhere. A running request keeps the copy it was quoted from. */
export class ModelCatalogue {
  readonly #store: ModelStore;
  readonly #builtins: readonly Model[];
  #models: readonly Model[];
  #registered: readonly RegisteredModel[] = [];
  #registeredAt: ReadonlyMap<string, Date> = new Map();
  #byName: ReadonlyMap<string, readonly Model[]>;
  #reloading: Promise<void> | undefined;
  #staleWhileReloading = false;

  constructor(store: ModelStore, builtins: readonly Model[]) {
    this.#store = store;
    this.#builtins = builtins;
    this.#models = builtins;
    this.#byName = indexOf(builtins);
  }

  all(): readonly Model[] {
    return this.#models;
  }

  /** `name`, which several providers may offer, or `provider/name`. */
  byName(name: string): readonly Model[] {
    return this.#byName.get(name) ?? [];
  }

  /** When a model was registered; undefined for the built-in ones. */
  registeredAt({ id }: Model): Date | undefined {
    return this.#registeredAt.get(id);
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
  async reload(): Promise<void> {
    if (this.#reloading !== undefined) {
      this.#staleWhileReloading = true;
      return this.#reloading;
    }
    this.#reloading = this.#loadUntilFresh();
    return this.#reloading;
  }

  async #loadUntilFresh(): Promise<void> {
    try {
      do {
        this.#staleWhileReloading = false;
        const registered = await this.#store.all();
        this.#registered = registered;
        this.#registeredAt = new Map(registered.map(({ id, createdAt }) => [id, createdAt]));
        this.#models = [...registered, ...this.#builtins];
        this.#byName = indexOf(this.#models);
      } while (this.#staleWhileReloading);
    } finally {
      this.#reloading = undefined;
    }
  }
}

function indexOf(models: readonly Model[]): ReadonlyMap<string, readonly Model[]> {
  const index = new Map<string, Model[]>();
  for (const model of models) {
    for (const key of [model.name, fullNameOf(model)]) index.set(key, [...(index.get(key) ?? []), model]);
  }
  return index;
}
