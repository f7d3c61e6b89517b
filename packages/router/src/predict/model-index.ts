import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Fit } from "@trunkline/core/prediction.ts";
import type { RouterWeights } from "./router-weights.ts";
import { NUMERIC_FEATURE_COUNT } from "./text-features.ts";

/** What a model claims to be, in log-odds. */
export interface ClaimedStrength {
  readonly odds: number;
  /** How much that is above its published claim; 0: one of them is missing. */
  readonly aboveKnown: number;
}

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
  /** Its strength as claimed, by how the work fits; undefined: not asked yet. */
  readonly claimed: Record<Fit, ClaimedStrength | undefined>;
}

const MIN_KNOWN_SHARE = 0.5;
const NO_STANDING = new Float32Array(0);
const NO_TRAITS = new Int32Array(0);

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

  constructor(routerWeights: RouterWeights) {
    this.weights = routerWeights;
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

  private find(model: Model): ModelProfile {
    const { domains, families, models, strength } = this.weights;
    const fullName = fullNameOf(model);
    const at =
      this.indexByName.get(canonicalModelName(model.upstreamModel ?? model.name)) ??
      this.indexByName.get(canonicalModelName(model.name));
    if (at === undefined) return profileOf(fullName, -1, NO_STANDING, NO_TRAITS, undefined);
    return profileOf(
      fullName,
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
  row: number,
  strength: Float32Array,
  traits: Int32Array,
  claim: number | undefined,
): ModelProfile {
  const claimed = { listed: undefined, related: undefined, other: undefined, unsaid: undefined };
  return { fullName, row, strength, traits, claim, claimed };
}

/** How the numeric features of a text change the chance of one model, in log-odds. */
export function traitLogOdds({ traits }: RouterWeights, from: number, figures: readonly number[]): number {
  let moved = 0;
  for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) moved += (traits[from + at] ?? 0) * (figures[at] ?? 0);
  return moved;
}

/**
 * One spelling for all names of a model: without its vendor, its date and words for its form. Sizes, versions and words
 * such as mini, coder or vision stay, because they distinguish models.
 */
export function canonicalModelName(name: string): string {
  const path = name.toLowerCase().split("/");
  const last = path.at(-1) ?? "";
  const words = (last.split("@", 1)[0] ?? "")
    .replace(/:(free|latest|beta|nitro|extended|thinking)?$/, "")
    .replace(/^(us|eu|apac|global)\./, "")
    .replace(/^(anthropic|meta|amazon|mistral|cohere|ai21|deepseek|qwen|openai|google|nvidia|x-?ai)\./, "")
    .replace(/-v\d+:\d+$/, "")
    .replace(/[\s_:]+/g, "-")
    .replace(/^(meta|mistralai|nvidia|google|microsoft|openai|anthropic|databricks)-(?=[a-z])/, "")
    .replace(/^c4ai-/, "")
    // Twice: a name may end in a form and a date, or in a date and a form.
    .replace(NAME_SUFFIX, "")
    .replace(NAME_SUFFIX, "")
    .replace(NAME_SUFFIX, "");
  return words.replace(/(?<=[a-z])-(?=\d)/g, "").replace(/(?<=\d)-(?=\d)/g, ".");
}

/** A date, or a word for the form of a release that does not identify the model. */
const NAME_SUFFIX =
  /-(?:\d{4}-\d{2}-\d{2}|20\d{6}|instruct|chat|it|hf|latest|turbo-instruct|preview|exp|fp8|bf16|awq|gptq|gguf|int4|int8|v0\.1|v01|v1)$/;
