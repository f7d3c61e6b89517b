import type { DomainShare, PromptFeatures } from "@trunkline/core/prediction.ts";
import { UNKNOWN_DOMAIN } from "./domains.ts";

/** The difficulty of a request is the chance that a model with a claim of 0.7 does not satisfy. */
const MIDDLING_STRENGTH = Math.log(0.7 / 0.3);

/** Of a possible domain: its index in the weights, the request's ease and discrimination there, and whether it is cold. */
export const NUMBERS_PER_DOMAIN = 4;
export const NO_LEANING: readonly number[] = [-1, 0, 0, 1];

/** The features of a request with what the prediction needs. */
export class ExtractedPromptFeatures implements PromptFeatures {
  /** How easy it is to satisfy who asks, in log-odds: 0 is as hard as the questions that claims are about. */
  readonly ease: number;
  readonly shares: readonly DomainShare[];
  /** Numeric features of the text. */
  readonly figures: readonly number[];
  /** In the order of the shares, `NUMBERS_PER_DOMAIN` of each: numbers in a row take a third of the room of objects. */
  private readonly leanings: readonly number[];
  private readonly families: ReadonlyMap<string, string>;

  constructor(
    shares: readonly DomainShare[],
    leanings: readonly number[],
    ease: number,
    figures: readonly number[],
    families: ReadonlyMap<string, string>,
  ) {
    this.shares = shares;
    this.leanings = leanings;
    this.ease = ease;
    this.figures = figures;
    this.families = families;
  }

  get domain(): string {
    return this.shares[0]?.domain ?? UNKNOWN_DOMAIN;
  }

  get family(): string {
    return this.families.get(this.domain) ?? this.domain;
  }

  get confidence(): number {
    return this.shares[0]?.share ?? 0;
  }

  get difficulty(): number {
    return 1 / (1 + Math.exp(MIDDLING_STRENGTH + this.ease));
  }

  /** The index in the weights of the domain at this place of the shares; -1: a domain without weights. */
  domainIndexAt(place: number): number {
    return this.leanings[place * NUMBERS_PER_DOMAIN] ?? -1;
  }

  /** How much easier it is than other requests of the domain, as its outcomes are graded, in log-odds. */
  easeAt(place: number): number {
    return this.leanings[place * NUMBERS_PER_DOMAIN + 1] ?? 0;
  }

  /** How much more it separates strong from weak models than other requests of the domain, in log-odds. */
  discriminationAt(place: number): number {
    return this.leanings[place * NUMBERS_PER_DOMAIN + 2] ?? 0;
  }

  /**
   * Whether too few models of the pool have outcomes in the domain's family to compare them with the others: claims are
   * compared.
   */
  isColdAt(place: number): boolean {
    return this.leanings[place * NUMBERS_PER_DOMAIN + 3] !== 0;
  }

  /** The same with its shares scaled down and other shares added. */
  withShares(left: number, others: readonly DomainShare[]): ExtractedPromptFeatures {
    const parts = this.shares.map(({ domain, share }, at) => ({
      part: { domain, share: share * left },
      leaning: this.leanings.slice(at * NUMBERS_PER_DOMAIN, (at + 1) * NUMBERS_PER_DOMAIN),
    }));
    const all = [...parts, ...others.map((part) => ({ part, leaning: NO_LEANING }))].toSorted(
      (one, other) => other.part.share - one.part.share,
    );
    return new ExtractedPromptFeatures(
      all.map(({ part }) => part),
      all.flatMap(({ leaning }) => leaning),
      this.ease,
      this.figures,
      this.families,
    );
  }
}
