import { CoalescedReload } from "@trunkline/core/background-work.ts";
import { fullNameOf, type Model, type PricedModel } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** A model as it is kept, with what only its owner sees. */
export interface RegisteredModel extends Model {
  readonly accountId: string;
  /** Declared in the configuration file, and changed only there. */
  readonly declared: boolean;
  /** Why the operator has taken it out of service. */
  readonly blockedReason?: string | undefined;
  readonly createdAt: Date;
}

export interface ModelStore {
  all(): Promise<RegisteredModel[]>;
  /** False where the provider already has a model of this name. The price becomes a new version; its number is the store's. */
  insert(model: RegisteredModel & PricedModel): Promise<boolean>;
  /** Writes everything but its share of the traffic; the price becomes a new version where it differs. One that is undefined stays what it is by now. */
  update(model: RegisteredModel): Promise<void>;
  /** Writes models whose ids follow from their names: new ones are made, known ones changed. One whose name is taken is passed over. */
  upsertAll(models: readonly (RegisteredModel & PricedModel)[]): Promise<void>;
  /** The operator's word, which no other change undoes. */
  setState(id: string, ruling: Pick<RegisteredModel, "state" | "blockedReason">): Promise<void>;
  /** How much of the traffic it gets, which no other change undoes. */
  setTrafficShare(id: string, share: Pick<Model, "weight" | "canaryShare">): Promise<void>;
  remove(id: string): Promise<void>;
}

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
