import { CoalescedReload } from "@trunkline/core/background-work.ts";
import { fullNameOf, type Model, type NextPrice, type Price, type PricedModel } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";

/** A stored model, with the fields that only its owner sees. */
export interface RegisteredModel extends Model {
  readonly accountId: string;
  /** Declared in the configuration file, and changed only there. */
  readonly declared: boolean;
  /** Why the operator has blocked it. */
  readonly blockedReason?: string | undefined;
  readonly createdAt: Date;
}

/** A model to insert, and a dearer price that is announced with it. */
export interface NewModel {
  readonly model: RegisteredModel & PricedModel;
  readonly next: NextPrice | undefined;
}

/** A provider already has a model of this name. */
export class ModelNameTaken extends Error {
  override readonly name = "ModelNameTaken";
  readonly modelName: string;

  constructor(modelName: string) {
    super(`The name ${modelName} is taken.`);
    this.modelName = modelName;
  }
}

export interface ModelStore {
  /** A model is the same object as long as nothing of it changes: much is kept per model. */
  all(): Promise<RegisteredModel[]>;
  /** False if the provider already has a model of this name. The price becomes a new version, numbered by the store. */
  insert(model: RegisteredModel & PricedModel, next?: NextPrice): Promise<boolean>;
  /** Inserts all of them or, where a provider already has a model of one of these names, none: then it throws ModelNameTaken. */
  insertAll(entries: readonly NewModel[]): Promise<void>;
  /**
   * Writes all but the traffic share. A different price becomes a new version, and takes back a price that was announced;
   * undefined keeps the stored prices. `next` is announced.
   */
  update(model: RegisteredModel, next?: NextPrice): Promise<void>;
  /** The last price of a model of this name that was withdrawn since then. */
  withdrawnPrice(model: Pick<Model, "provider" | "name">, since: Date): Promise<Price | undefined>;
  /** Inserts or updates models whose ids follow from their names. Skips a model whose name is taken. */
  upsertAll(models: readonly (RegisteredModel & PricedModel)[]): Promise<void>;
  /** Sets the state that the operator decided. No other change overwrites it. */
  setState(id: string, change: Pick<RegisteredModel, "state" | "blockedReason">): Promise<void>;
  /** Sets the model's share of the traffic. No other change overwrites it. */
  setTrafficShare(id: string, share: Pick<Model, "weight" | "canaryShare">): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Knows the keys of discovered models. */
export interface DiscoveredModelKeys {
  /** undefined: there is no key for the model, or the operator does not offer it. */
  keysFor(model: RegisteredModel): readonly Secret[] | undefined;
}

const NO_KEYS: DiscoveredModelKeys = { keysFor: () => undefined };

/**
 * All models in memory, rebuilt when one changes on any instance. Until then the list and its models are the same objects.
 * A request keeps the copy it was quoted from.
 */
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
  /** Discovered models with their keys, by the stored models. */
  readonly #withKeys = new WeakMap<RegisteredModel, RegisteredModel>();
  readonly #reloader = new CoalescedReload(async () => {
    const stored = await this.#store.all();
    if (!hasSameItems(stored, this.#stored)) this.#stored = stored;
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

  /** Every stored model, including discovered ones without a key. The same list until one of them changes. */
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

  /** Resolves when the catalogue is at least as new as this call. Concurrent calls share at most two reads. */
  reload(): Promise<void> {
    return this.#reloader.reload();
  }

  /** Reloads if an announced price holds by now. */
  async reloadIfPriceIsDue(now: number): Promise<void> {
    if (this.#stored.some(({ nextPrice }) => nextPrice !== undefined && nextPrice.effectiveAt.getTime() <= now))
      await this.reload();
  }

  /** Sets the models that were last found running on this machine. */
  setLocalModels(models: readonly Model[]): void {
    this.#local = models;
    this.rebuild();
  }

  /** Called when something outside of the store has changed: the keys, or the models on this machine. */
  rebuild(): void {
    this.#registered = this.#stored.flatMap((model) => {
      if (model.discovered !== true) return [model];
      const keys = this.#discovered.keysFor(model);
      return keys === undefined ? [] : [this.#addKeys(model, keys)];
    });
    this.#registeredAt = new Map(this.#stored.map((model) => [fullNameOf(model), model.createdAt]));
    // The first of a name is the one that readers see, so that other accounts' models come last.
    const isThirdParty = ({ thirdParty }: Model) => thirdParty === true;
    const models = [
      ...this.#registered.filter((model) => !isThirdParty(model)),
      ...this.#local,
      ...this.#builtins,
      ...this.#registered.filter(isThirdParty),
    ];
    if (hasSameItems(models, this.#models)) return;
    this.#models = models;
    this.#byName = indexModels(models);
  }

  #addKeys(model: RegisteredModel, keys: readonly Secret[]): RegisteredModel {
    const known = this.#withKeys.get(model);
    if (known?.keys === keys) return known;
    const withKeys = { ...model, keys };
    this.#withKeys.set(model, withKeys);
    return withKeys;
  }
}

/** Whether two lists hold the same objects in the same order. */
export function hasSameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** Indexes models by name and full name. If one's name is another's full name, the full name wins, as it is unique. */
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
