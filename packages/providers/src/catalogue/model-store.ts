import type { Model, PricedModel } from "@trunkline/core/model.ts";

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
