import { isDeepStrictEqual } from "node:util";
import type { PricedModel } from "@trunkline/core/model.ts";
import {
  ModelNameTaken,
  type ModelStore,
  type NewModel,
  type RegisteredModel,
} from "@trunkline/providers/catalogue/model-catalogue.ts";

/** Registered models in memory: names are unique per provider, a changed price is a new version. */
export class MemoryModels implements ModelStore {
  readonly #models = new Map<string, RegisteredModel>();
  #versions = 0;
  /** How often all of them were read. */
  reads = 0;
  /** What a reading waits for after it has seen the models. */
  gate: Promise<void> | undefined;

  async all(): Promise<RegisteredModel[]> {
    this.reads++;
    const seen = [...this.#models.values()];
    await this.gate;
    return seen;
  }

  async insert(model: RegisteredModel & PricedModel): Promise<boolean> {
    const isTaken = [...this.#models.values()].some(
      ({ provider, name }) => provider === model.provider && name === model.name,
    );
    if (isTaken) return false;
    this.#models.set(model.id, { ...model, price: { ...model.price, version: String(++this.#versions) } });
    return true;
  }

  async insertAll(entries: readonly NewModel[]): Promise<void> {
    const before = new Map(this.#models);
    for (const { model } of entries) {
      if (await this.insert(model)) continue;
      this.#models.clear();
      for (const [id, known] of before) this.#models.set(id, known);
      throw new ModelNameTaken(model.name);
    }
  }

  async update(model: RegisteredModel): Promise<void> {
    const known = this.#models.get(model.id);
    if (known === undefined) return;
    const state = known.state === "blocked" ? known.state : model.state;
    const { weight, canaryShare } = known;
    const price = this.#priceAfter(known, model);
    this.#models.set(model.id, { ...model, state, price, weight, canaryShare });
  }

  async upsertAll(models: readonly (RegisteredModel & PricedModel)[]): Promise<void> {
    for (const model of models) {
      if (this.#models.has(model.id)) await this.update(model);
      else await this.insert(model);
    }
  }

  async setState(id: string, ruling: Pick<RegisteredModel, "state" | "blockedReason">): Promise<void> {
    const known = this.#models.get(id);
    if (known !== undefined) this.#models.set(id, { ...known, ...ruling });
  }

  async setTrafficShare(id: string, share: Pick<RegisteredModel, "weight" | "canaryShare">): Promise<void> {
    const known = this.#models.get(id);
    if (known !== undefined) this.#models.set(id, { ...known, ...share });
  }

  #priceAfter({ price: before }: RegisteredModel, { price: after }: RegisteredModel) {
    if (after === undefined) return before;
    const isSame = before !== undefined && isDeepStrictEqual({ ...before, version: "" }, { ...after, version: "" });
    return { ...after, version: isSame ? before.version : String(++this.#versions) };
  }

  /** A price that can't be read, as where its row is gone. */
  losePrice(id: string): void {
    const known = this.#models.get(id);
    if (known !== undefined) this.#models.set(id, { ...known, price: undefined });
  }

  async withdrawnPrice(): Promise<undefined> {
    return undefined;
  }

  async remove(id: string): Promise<void> {
    this.#models.delete(id);
  }
}
