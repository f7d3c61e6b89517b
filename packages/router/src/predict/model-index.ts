import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { RouterWeights } from "./router-weights.ts";
import { NUMERIC_FEATURE_COUNT } from "./text-features.ts";

/** What is known of a model by its name. */
export interface ModelProfile {
  /** `provider/name`, by which outcomes are kept. */
  readonly fullName: string;
  /** Where its row starts in the tables by model and domain; -1: it is in none. */
  readonly row: number;
  /** By domain: how strong it is among those seen in its family. */
  readonly standing: Float32Array;
  /** By domain: where its traits in the domain's family start. */
  readonly traits: Int32Array;
  /** What its makers claim; undefined: it is not known. */
  readonly claim: number | undefined;
}

const NO_STANDING = new Float32Array(0);
const NO_TRAITS = new Int32Array(0);

/** Finds models in the weights, once for each: models never change in place. */
export class ModelIndex {
  private readonly profiles = new WeakMap<Model, ModelProfile>();
  private readonly indexByName: ReadonlyMap<string, number>;
  private readonly weights: RouterWeights;

  constructor(routerWeights: RouterWeights) {
    this.weights = routerWeights;
    this.indexByName = new Map(routerWeights.models.map(({ name }, at) => [name, at]));
  }

  profileOf(model: Model): ModelProfile {
    const remembered = this.profiles.get(model);
    if (remembered !== undefined) return remembered;
    const found = this.find(model);
    this.profiles.set(model, found);
    return found;
  }

  private find(model: Model): ModelProfile {
    const { domains, families, models, standing } = this.weights;
    const fullName = fullNameOf(model);
    const at =
      this.indexByName.get(canonicalModelName(model.upstreamModel ?? model.name)) ??
      this.indexByName.get(canonicalModelName(model.name));
    if (at === undefined) return { fullName, row: -1, standing: NO_STANDING, traits: NO_TRAITS, claim: undefined };
    return {
      fullName,
      row: at * domains.length,
      standing: Float32Array.from(domains, ({ family }) => {
        const column = families.indexOf(family);
        return column < 0 ? 0 : (standing[at * families.length + column] ?? 0);
      }),
      traits: Int32Array.from(
        domains,
        ({ family }) => (at * families.length + Math.max(0, families.indexOf(family))) * NUMERIC_FEATURE_COUNT,
      ),
      claim: models[at]?.claim,
    };
  }
}

/** How the figures of a text move the chance of one model, in log-odds. */
export function traitLogOdds({ traits }: RouterWeights, from: number, figures: readonly number[]): number {
  let moved = 0;
  for (let at = 0; at < NUMERIC_FEATURE_COUNT; at++) moved += (traits[from + at] ?? 0) * (figures[at] ?? 0);
  return moved;
}

/**
 * One spelling for the names under which one model goes: without its vendor, its date and words for its form.
 * What tells models apart stays: sizes, versions, and words such as mini, coder or vision.
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

/** A date, or a word that says how a model was finished and not which it is. */
const NAME_SUFFIX =
  /-(?:\d{4}-\d{2}-\d{2}|20\d{6}|instruct|chat|it|hf|latest|turbo-instruct|preview|exp|fp8|bf16|awq|gptq|gguf|int4|int8|v0\.1|v01|v1)$/;
