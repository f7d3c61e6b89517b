import type { Caller } from "@trunkline/core/caller.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { editDistance } from "@trunkline/core/edit-distance.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, fullNameOf, isFree, type Model } from "@trunkline/core/model.ts";
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

/** Whether it belongs neither to the operator nor to this account. */
export function isThirdPartyTo(model: Model, accountId: string | undefined): boolean {
  return model.thirdParty === true && model.accountId !== accountId;
}

/**
 * Whether a name without its provider may stand for this model. Anyone can register a well-known name, so that such a name
 * stands for another account's model only where the caller's account allows it.
 */
export function isCalledByBareName(model: Model, caller: Caller): boolean {
  return caller.thirdPartyModels === true || !isThirdPartyTo(model, caller.accountId);
}

/** Whether the caller's key may use this model. */
export function isAllowed(model: Model, caller: Caller): boolean {
  const { models } = caller;
  if (models === undefined || models.has(cachedFullNameOf(model))) return true;
  return models.has(model.name) && isCalledByBareName(model, caller);
}

/** Models that compete with one another. A later tier is tried only after every earlier one. */
export interface Tier {
  readonly kind: TierKind;
  readonly models: readonly Model[];
  /** The list of backups is another account's, which could lead the request to a dear model. */
  readonly isThirdPartyList: boolean;
}

/**
 * The tiers of models that may serve a request, in the order that the client requested. A named model is followed only
 * by its fallbacks and backups: there are no silent substitutes.
 */
export function listTiers(catalogue: Catalogue, caller: Caller, inference: Inference): Tier[] {
  const first =
    inference.model === undefined
      ? tierOf("automatic", catalogue.all())
      : tierOf("named", findByName(catalogue, caller, inference.model, "model"));
  const tiers = [first];
  for (const name of inference.fallbacks) {
    tiers.push(tierOf("fallback", findByName(catalogue, caller, name, "fallbacks")));
  }
  const order = inference.preferences.providers?.order;
  for (const model of inference.model === undefined ? [] : first.models) {
    // A backup that no longer exists is no error of the client, who did not name it.
    for (const name of model.backups) {
      tiers.push(
        tierOf("backup", findBackups(catalogue, caller, model, name), isThirdPartyTo(model, caller.accountId)),
      );
    }
  }
  return order === undefined || order.length === 0 ? tiers : splitByProviders(tiers, order);
}

function splitByProviders(tiers: readonly Tier[], order: readonly string[]): Tier[] {
  return tiers.flatMap((tier) => splitByProvider(tier, order));
}

/** The models of the first provider, then of the second and so on, then of all others. */
function splitByProvider(tier: Tier, order: readonly string[]): Tier[] {
  const placeOf = ({ provider }: Model) => {
    const place = order.indexOf(provider.toLowerCase());
    return place === -1 ? order.length : place;
  };
  const parts = Array.from({ length: order.length + 1 }, (_, place) => ({
    ...tier,
    models: tier.models.filter((model) => placeOf(model) === place),
  }));
  return parts.filter(({ models }) => models.length > 0);
}

function tierOf(kind: TierKind, models: readonly Model[], isThirdPartyList = false): Tier {
  return { kind, models, isThirdPartyList };
}

/** A backup that is named without its provider is a model of the list's own account, or one that the client could name so. */
function findBackups(catalogue: Catalogue, caller: Caller, owner: Model, name: string): readonly Model[] {
  const isMeant = (model: Model) =>
    model.accountId === owner.accountId || isCalledByBareName(model, caller) || name === cachedFullNameOf(model);
  const all = catalogue.byName(name);
  return all.every(isMeant) ? all : all.filter(isMeant);
}

function findByName(
  catalogue: Catalogue,
  caller: Caller,
  name: string,
  param: "model" | "fallbacks",
): readonly Model[] {
  const all = findNamed(catalogue, name);
  let visible = 0;
  let isUsable = false;
  let others: Model | undefined;
  for (const model of all) {
    if (!isVisible(model, caller)) continue;
    if (!isNamedBy(model, caller, name)) {
      others = model;
      continue;
    }
    visible++;
    isUsable ||= isAllowed(model, caller);
  }
  if (visible === 0) {
    const message =
      others === undefined
        ? unknownModelMessage(catalogue, caller, name)
        : `Only other accounts offer a model "${name}". Name one in full, such as "${fullNameOf(others)}", or allow such models by PATCH /v1/settings with "third_party_models": true.`;
    throw new Fault("model_not_found", message, { param });
  }
  if (!isUsable) {
    throw new Fault(
      "insufficient_scope",
      `This key may not use the model "${name}". Name a model that the key allows, or use another key.`,
      { param },
    );
  }
  return visible === all.length ? all : namedBy(all, caller, name);
}

function namedBy(models: readonly Model[], caller: Caller, name: string): readonly Model[] {
  return models.filter((model) => isVisible(model, caller) && isNamedBy(model, caller, name));
}

const FREE_SUFFIX = ":free";

/** OpenRouter's names for the free offers of a model end in `:free`. Where no model has such a name, the free ones count. */
function findNamed(catalogue: Catalogue, name: string): readonly Model[] {
  const exact = catalogue.byName(name);
  if (exact.length > 0 || !name.endsWith(FREE_SUFFIX)) return exact;
  return catalogue
    .byName(name.slice(0, -FREE_SUFFIX.length))
    .filter(({ price }) => price !== undefined && isFree(price));
}

function isNamedBy(model: Model, caller: Caller, name: string): boolean {
  return model.thirdParty !== true || isCalledByBareName(model, caller) || name === cachedFullNameOf(model);
}

function unknownModelMessage(catalogue: Catalogue, caller: Caller, name: string): string {
  const nameOf = (model: Model) =>
    name.includes("/") || !isCalledByBareName(model, caller) ? fullNameOf(model) : model.name;
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
