import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { truncateText } from "@trunkline/core/whole-characters.ts";
import { type Catalogue, isAllowed, isRoutable, isVisible } from "./catalogue.ts";
import { similarNames } from "./near-names.ts";

/** Why a group of models is considered at all. */
export type TierKind = "automatic" | "named" | "fallback" | "backup" | "built-in";

/** Models that compete with one another. A later tier is only tried after every earlier one. */
export interface Tier {
  readonly kind: TierKind;
  readonly models: readonly Model[];
}

/**
 * The groups of models that may serve a request, in the order that the client asked for.
 * A named model is followed by its fallbacks and its backups and by nothing else: no silent substitutes.
 */
export function listTiers(catalogue: Catalogue, caller: Caller, inference: Inference): Tier[] {
  const tiers: Tier[] = [];
  if (inference.model === undefined) tiers.push({ kind: "automatic", models: catalogue.all() });
  else tiers.push({ kind: "named", models: findByName(catalogue, caller, inference.model, "model") });
  for (const name of inference.fallbacks) {
    tiers.push({ kind: "fallback", models: findByName(catalogue, caller, name, "fallbacks") });
  }
  if (inference.model === undefined) return tiers;

  for (const model of tiers[0]?.models ?? []) {
    // A backup that is gone is its provider's slip: the client can do nothing about it and never named it.
    for (const name of model.backups) tiers.push({ kind: "backup", models: catalogue.byName(name) });
  }
  return tiers;
}

function findByName(
  catalogue: Catalogue,
  caller: Caller,
  name: string,
  param: "model" | "fallbacks",
): readonly Model[] {
  const models = catalogue.byName(name).filter((model) => isVisible(model, caller));
  if (models.length === 0) {
    throw new Fault("model_not_found", unknownModelMessage(catalogue, caller, name), { param });
  }
  if (!models.some((model) => isAllowed(model, caller))) {
    throw new Fault(
      "insufficient_scope",
      `This key may not use the model "${name}". Name a model that the key allows, or use another key.`,
      { param },
    );
  }
  return models;
}

function unknownModelMessage(catalogue: Catalogue, caller: Caller, name: string): string {
  const nameOf = name.includes("/") ? fullNameOf : (model: Model) => model.name;
  const names = new Set<string>();
  for (const model of catalogue.all()) {
    if (isRoutable(model) && isVisible(model, caller) && isAllowed(model, caller)) names.add(nameOf(model));
  }
  const near = similarNames(name, names).map((one) => `"${one}"`);
  const guess = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const shown = name.length > 80 ? `${truncateText(name, 80)}…` : name;
  return `There is no model "${shown}".${guess} GET /v1/models lists every model.`;
}
