import type { Caller } from "@trunkline/core/caller.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";

/** Every registered model, whatever its state, as the router looks them up. */
export interface Catalogue {
  all(): readonly Model[];
  /** Takes `name`, which several providers may offer, or `provider/name`. */
  byName(name: string): readonly Model[];
}

/** Whether the router may send anything to this model. */
export function isRoutable(model: Model): boolean {
  return model.state === "active" || model.state === "probation";
}

/** A model that was never public does not exist for anyone but its owner and the operator; a private one for its owner alone. */
export function isVisible(model: Model, caller: Caller): boolean {
  if (model.private === true) return model.accountId === caller.accountId;
  return model.state !== "pending" || caller.operator || model.accountId === caller.accountId;
}

/** Whether the caller's key may use this model. */
export function isAllowed(model: Model, caller: Caller): boolean {
  return caller.models === undefined || caller.models.has(model.name) || caller.models.has(fullNameOf(model));
}
