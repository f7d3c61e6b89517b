import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { plainModelName } from "./model-names.ts";
import { FIGURES } from "./shape-of-text.ts";
import type { Weights } from "./weights.ts";

/** What is known of a model by its name. */
export interface Familiar {
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
  private readonly familiar = new WeakMap<Model, Familiar>();
  private readonly placeOfName: ReadonlyMap<string, number>;
  private readonly weights: Weights;

  constructor(weights: Weights) {
    this.weights = weights;
    this.placeOfName = new Map(weights.models.map(({ name }, at) => [name, at]));
  }

  of(model: Model): Familiar {
    const remembered = this.familiar.get(model);
    if (remembered !== undefined) return remembered;
    const found = this.find(model);
    this.familiar.set(model, found);
    return found;
  }

  private find(model: Model): Familiar {
    const { domains, families, models, standing } = this.weights;
    const fullName = fullNameOf(model);
    const at =
      this.placeOfName.get(plainModelName(model.upstreamModel ?? model.name)) ??
      this.placeOfName.get(plainModelName(model.name));
    if (at === undefined)
      return { fullName, row: -1, standing: NO_STANDING, traits: NO_TRAITS, claim: undefined };
    return {
      fullName,
      row: at * domains.length,
      standing: Float32Array.from(domains, ({ family }) => {
        const column = families.indexOf(family);
        return column < 0 ? 0 : (standing[at * families.length + column] ?? 0);
      }),
      traits: Int32Array.from(
        domains,
        ({ family }) => (at * families.length + Math.max(0, families.indexOf(family))) * FIGURES,
      ),
      claim: models[at]?.claim,
    };
  }
}

/** How the figures of a text move the chance of one model, in log-odds. */
export function traitOf({ traits }: Weights, from: number, figures: readonly number[]): number {
  let moved = 0;
  for (let at = 0; at < FIGURES; at++) moved += (traits[from + at] ?? 0) * (figures[at] ?? 0);
  return moved;
}
