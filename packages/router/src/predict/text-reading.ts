import type { DomainShare, PromptFeatures } from "@trunkline/core/prediction.ts";
import { UNKNOWN_DOMAIN } from "./domains.ts";

/** One domain that a request may be of, with how the request moves the models' chances there, in log-odds. */
export interface DomainLeaning {
  /** The domain's place among those that were learnt. */
  readonly domainIndex: number;
  /** How much easier it is than others of the domain. */
  readonly ease: number;
  /** How far it parts strong from weak models, more than others of the domain do. */
  readonly discrimination: number;
}

/** A reading with what the prediction needs of it. */
export class ExtractedPromptFeatures implements PromptFeatures {
  readonly domain: string;
  readonly family: string;
  readonly confidence: number;
  readonly difficulty: number;
  readonly shares: readonly DomainShare[];
  /** In the order of the shares; undefined where the domain was never learnt. */
  readonly leanings: readonly (DomainLeaning | undefined)[];
  /** Of the text's shape. */
  readonly figures: readonly number[];
  private readonly families: ReadonlyMap<string, string>;

  constructor(
    shares: readonly DomainShare[],
    domainLeanings: readonly (DomainLeaning | undefined)[],
    difficulty: number,
    figures: readonly number[],
    families: ReadonlyMap<string, string>,
  ) {
    const likeliest = shares[0];
    this.shares = shares;
    this.leanings = domainLeanings;
    this.difficulty = difficulty;
    this.domain = likeliest?.domain ?? UNKNOWN_DOMAIN;
    this.family = families.get(this.domain) ?? this.domain;
    this.confidence = likeliest?.share ?? 0;
    this.figures = figures;
    this.families = families;
  }

  /** The same with only a part of its shares left, and others beside them. */
  withShares(left: number, others: readonly DomainShare[]): ExtractedPromptFeatures {
    const parts = this.shares.map(({ domain, share }, at) => ({
      part: { domain, share: share * left },
      leaning: this.leanings[at],
    }));
    const all = [...parts, ...others.map((part) => ({ part, leaning: undefined }))].toSorted(
      (one, other) => other.part.share - one.part.share,
    );
    return new ExtractedPromptFeatures(
      all.map(({ part }) => part),
      all.map(({ leaning: domainLeaning }) => domainLeaning),
      this.difficulty,
      this.figures,
      this.families,
    );
  }
}
