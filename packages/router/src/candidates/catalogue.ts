import type { Caller } from "@trunkline/core/caller.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { TierKind } from "@trunkline/core/route.ts";

/** Every registered model in any state. */
export interface Catalogue {
  all(): readonly Model[];
  /** Takes `name`, which several providers may offer, or `provider/name`. */
  byName(name: string): readonly Model[];
}

export function isRoutable(model: Model): boolean {
  return model.state === "active" || model.state === "probation";
}

/** A pending model is visible to its owner and the operator only, a private one to its owner only. */
export function isVisible(model: Model, caller: Caller): boolean {
  if (model.private === true) return model.accountId === caller.accountId;
  return model.state !== "pending" || caller.operator || model.accountId === caller.accountId;
}

/** Whether the caller's key may use this model. */
export function isAllowed(model: Model, caller: Caller): boolean {
  return caller.models === undefined || caller.models.has(model.name) || caller.models.has(cachedFullNameOf(model));
}

/** Models that compete with one another. A later tier is tried only after every earlier one. */
export interface Tier {
  readonly kind: TierKind;
  readonly models: readonly Model[];
}

/**
 * The tiers of models that may serve a request, in the order that the client requested. A named model is followed only
 * by its fallbacks and backups: there are no silent substitutes.
 */
export function listTiers(catalogue: Catalogue, caller: Caller, inference: Inference): Tier[] {
  const tiers: Tier[] = [];
  if (inference.model === undefined) tiers.push({ kind: "automatic", models: catalogue.all() });
  else tiers.push({ kind: "named", models: findByName(catalogue, caller, inference.model, "model") });
  for (const name of inference.fallbacks) {
    tiers.push({ kind: "fallback", models: findByName(catalogue, caller, name, "fallbacks") });
  }
  const [first] = tiers;
  if (inference.model === undefined || first === undefined) return tiers;
  for (const model of first.models) {
    // A backup that no longer exists is no error of the client, who did not name it.
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
  const all = catalogue.byName(name);
  let visible = 0;
  let isUsable = false;
  for (const model of all) {
    if (!isVisible(model, caller)) continue;
    visible++;
    isUsable ||= isAllowed(model, caller);
  }
  if (visible === 0) throw new Fault("model_not_found", unknownModelMessage(catalogue, caller, name), { param });
  if (!isUsable) {
    throw new Fault(
      "insufficient_scope",
      `This key may not use the model "${name}". Name a model that the key allows, or use another key.`,
      { param },
    );
  }
  return visible === all.length ? all : all.filter((model) => isVisible(model, caller));
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

/** Bounds the work for one mistyped name. */
const MAX_NAMES_COMPARED = 2_000;
const MAX_NAME_CHARS = 160;

/** Up to three names that are similar to a mistyped one, the most similar first. */
export function similarNames(wanted: string, names: Iterable<string>): string[] {
  const sought = wanted.slice(0, MAX_NAME_CHARS).toLowerCase();
  const farthest = Math.max(2, Math.floor(sought.length / 3));
  const found: { name: string; distance: number }[] = [];
  let compared = 0;
  for (const name of names) {
    if (++compared > MAX_NAMES_COMPARED) break;
    const distance = nameDistance(sought, name.toLowerCase(), farthest);
    if (distance <= farthest) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, 3).map(({ name }) => name);
}

/** A name that is the start of the other counts as one wrong letter: people leave out versions or add them. */
function nameDistance(sought: string, name: string, farthest: number): number {
  if (sought === name) return 0;
  if (sought.length >= 2 && (name.startsWith(sought) || sought.startsWith(name))) return 1;
  if (Math.abs(sought.length - name.length) > farthest) return Number.POSITIVE_INFINITY;
  return editDistance(sought, name);
}

/** The Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const added = (current[column - 1] ?? 0) + 1;
      const dropped = (above[column] ?? 0) + 1;
      current.push(Math.min(replaced, added, dropped));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}
