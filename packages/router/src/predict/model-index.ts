import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { type FamilyStrength, familyStrengthOf } from "./model-families.ts";
import { canonicalModelName } from "./model-name.ts";
import { logOdds } from "./model-strength.ts";
import type { RouterWeights } from "./router-weights.ts";
import { NUMERIC_FEATURE_COUNT } from "./text-features.ts";

/** What a model claims to be, in log-odds: numbers in a row, as every request reads those of every model. */
export const NUMBERS_PER_CLAIM = 3;
export const CLAIMED = 0;
/** How much stronger it is in programming. */
export const CODE_GAIN = 1;
/** How much that is above its published claim; 0: one of them is missing. */
export const ABOVE_KNOWN = 2;

/** What the weights hold about a model. */
export interface ModelProfile {
  /** `provider/name`, the key of its outcomes. */
  readonly fullName: string;
  /** The start of its row in the tables by model and domain; -1: none. */
  readonly row: number;
  /** By domain: its strength among the models with outcomes in the family. */
  readonly strength: Float32Array;
  /** By domain: the start of its traits in the domain's family. */
  readonly traits: Int32Array;
  /** The published claim; undefined: unknown. */
  readonly claim: number | undefined;
  /** The published strength of its family; undefined: unknown. */
  readonly familyStrength: FamilyStrength | undefined;
  /** Its strength as claimed, by how the work fits: `NUMBERS_PER_CLAIM` of each; NaN: not asked yet. */
  readonly claimed: number[];
}

const MIN_KNOWN_SHARE = 0.5;
const NO_STANDING = new Float32Array(0);
const NO_TRAITS = new Int32Array(0);
const FITS = 4;
const NO_CLAIMS: readonly number[] = Array.from({ length: FITS * NUMBERS_PER_CLAIM }, () => Number.NaN);

/** Finds models in the weights. Each model is looked up once, because model objects never change. */
export class ModelIndex {
  private readonly profiles = new WeakMap<Model, ModelProfile>();
  /** By list of models, since a catalogue's list stays the same until it changes. */
  private readonly coldDomains = new WeakMap<readonly Model[], readonly boolean[]>();
  /** The last model that was looked up: its length and its quality are predicted one after the other. */
  private lastModel: Model | undefined;
  private lastProfile: ModelProfile | undefined;
  private readonly indexByName: ReadonlyMap<string, number>;
  private readonly weights: RouterWeights;
  /** By domain: how outcomes compare with claims. */
  private readonly comparisons: Float64Array;

  constructor(routerWeights: RouterWeights) {
    this.weights = routerWeights;
    this.comparisons = compareClaims(routerWeights);
    this.indexByName = new Map(routerWeights.models.map(({ name }, at) => [name, at]));
  }

  /**
   * By the index of a domain: whether less than half of these models have outcomes in its family. Outcomes of a few
   * models can't be compared with the claims of the others.
   */
  coldDomainsOf(models: readonly Model[]): readonly boolean[] {
    const known = this.coldDomains.get(models);
    if (known !== undefined) return known;
    const rows = models
      .filter(({ type }) => type === "text" || type === "multimodal")
      .map((model) => this.profileOf(model).row);
    const cold = this.weights.domains.map((_, domain) => {
      const withOutcomes = rows.filter((row) => row >= 0 && !Number.isNaN(this.weights.abilities[row + domain]));
      return withOutcomes.length < MIN_KNOWN_SHARE * rows.length;
    });
    this.coldDomains.set(models, cold);
    return cold;
  }

  profileOf(model: Model): ModelProfile {
    if (model === this.lastModel && this.lastProfile !== undefined) return this.lastProfile;
    let profile = this.profiles.get(model);
    if (profile === undefined) {
      profile = this.find(model);
      this.profiles.set(model, profile);
    }
    this.lastModel = model;
    this.lastProfile = profile;
    return profile;
  }

  /**
   * The strength of a model without outcomes where it is compared with models that have some in this domain: by what
   * these showed of their claims, and by how much the request separates models.
   */
  strengthAmongKnown(domain: number, claimed: number, discrimination: number): number {
    const { comparisons } = this;
    const from = domain * NUMBERS_PER_COMPARISON;
    const middle = comparisons[from + MIDDLE] ?? 0;
    if (Number.isNaN(middle)) return claimed;
    const inside = Math.min(claimed, comparisons[from + MAX_CLAIMED] ?? 0);
    const above = inside - (comparisons[from + MEAN_CLAIMED] ?? 0);
    const strength = middle + (comparisons[from + SLOPE] ?? 0) * above + claimed - inside;
    return strength + discrimination * Math.min(MAX_STANDING, Math.max(-MAX_STANDING, strength - middle));
  }

  private find(model: Model): ModelProfile {
    const { domains, families, models, strength } = this.weights;
    const fullName = fullNameOf(model);
    const at =
      this.indexByName.get(canonicalModelName(model.upstreamModel ?? model.name)) ??
      this.indexByName.get(canonicalModelName(model.name));
    const familyStrength =
      (model.upstreamModel === undefined ? undefined : familyStrengthOf(model.upstreamModel)) ??
      familyStrengthOf(model.name);
    if (at === undefined) return profileOf(fullName, familyStrength, -1, NO_STANDING, NO_TRAITS, undefined);
    return profileOf(
      fullName,
      familyStrength,
      at * domains.length,
      Float32Array.from(domains, ({ family }) => {
        const column = families.indexOf(family);
        return column < 0 ? 0 : (strength[at * families.length + column] ?? 0);
      }),
      Int32Array.from(
        domains,
        ({ family }) => (at * families.length + Math.max(0, families.indexOf(family))) * NUMERIC_FEATURE_COUNT,
      ),
      models[at]?.claim,
    );
  }
}

function profileOf(
  fullName: string,
  familyStrength: FamilyStrength | undefined,
  row: number,
  strength: Float32Array,
  traits: Int32Array,
  claim: number | undefined,
): ModelProfile {
  const claimed = [...NO_CLAIMS];
  return { fullName, row, strength, traits, claim, familyStrength, claimed };
}

/** How the strengths of models by their outcomes in a domain compare with their published claims. */
const NUMBERS_PER_COMPARISON = 4;
/** The mean strength by outcomes; NaN: there are none. */
const MIDDLE = 0;
/** The mean strength by claims. */
const MEAN_CLAIMED = 1;
/** How much stronger a model is by outcomes for each step of its claim. */
const SLOPE = 2;
/** Above the highest claim of a model with outcomes, a step counts as a step. */
const MAX_CLAIMED = 3;

/** How many models claims weigh as much as, beside those with outcomes. */
const COMPARISON_SHRINKAGE = 4;

/** The bounds of the strength of a model among those with outcomes, as in the training. */
const MAX_STANDING = 1.5;

function compareClaims({ domains, models, abilities, ease }: RouterWeights): Float64Array {
  const comparisons = new Float64Array(domains.length * NUMBERS_PER_COMPARISON).fill(Number.NaN);
  for (let domain = 0; domain < domains.length; domain++) {
    const points = models.flatMap(({ claim }, model) => {
      const ability = abilities[model * domains.length + domain] ?? Number.NaN;
      return Number.isNaN(ability) ? [] : [{ claimed: logOdds(claim), shown: ability - (ease[domain] ?? 0) }];
    });
    if (points.length === 0) continue;
    const mean = (figure: (point: (typeof points)[number]) => number) =>
      points.reduce((sum, point) => sum + figure(point), 0) / points.length;
    const claimed = mean((point) => point.claimed);
    const shown = mean((point) => point.shown);
    const both = mean((point) => (point.claimed - claimed) * (point.shown - shown)) * points.length;
    const square = mean((point) => (point.claimed - claimed) ** 2) * points.length;
    const from = domain * NUMBERS_PER_COMPARISON;
    comparisons[from + MIDDLE] = claimed + ((shown - claimed) * points.length) / (points.length + COMPARISON_SHRINKAGE);
    comparisons[from + MEAN_CLAIMED] = claimed;
    comparisons[from + SLOPE] = Math.max(0.5, (both + COMPARISON_SHRINKAGE) / (square + COMPARISON_SHRINKAGE));
    comparisons[from + MAX_CLAIMED] = Math.max(...points.map((point) => point.claimed));
  }
  return comparisons;
}

/** How the numeric features of a text change the chance of one model, in log-odds. */
export function traitLogOdds({ traits }: RouterWeights, from: number, figures: readonly number[]): number {
  let moved = 0;
  for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) moved += (traits[from + at] ?? 0) * (figures[at] ?? 0);
  return moved;
}
