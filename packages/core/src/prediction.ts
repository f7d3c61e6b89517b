/** What a request is about and how hard it is, derived from the request itself. */
export interface PromptFeatures {
  /** The most likely domain: "maths", "code", "law". */
  readonly domain: string;
  /** The family of tasks of that domain. What is learnt in one family never counts for another. */
  readonly family: string;
  /** 0 to 1: the probability of that domain. */
  readonly confidence: number;
  /** 0 to 1: the chance that a middling model does not satisfy. */
  readonly difficulty: number;
  /** The possible domains, the most likely first. They add up to at most 1; the rest is no known domain. */
  readonly shares: readonly DomainShare[];
}

export interface DomainShare {
  readonly domain: string;
  readonly share: number;
}

/** The predicted quality of one model's answer. */
export interface Prediction {
  /** The chance that it satisfies, 0 to 1. */
  readonly quality: number;
  /** The lower bound of the quality: far below it when there is little evidence. */
  readonly lower: number;
  /** The quality without learnt outcomes, which new outcomes are compared with; undefined: the same. */
  readonly unlearnt?: number | undefined;
  /** The weight of the outcomes behind it; 0: only the provider's own claim. */
  readonly evidence: number;
}

/** Outcomes of one model in one domain, as sums that can be added: how much better its answers were than predicted. */
export interface OutcomeTally {
  /** The sum of the outcomes' weights. */
  readonly weight: number;
  /** The sum of weight × (outcome − prediction without outcomes), each −1 to 1. */
  readonly surplus: number;
}

/** What was learnt while serving: an account's own outcomes, and those of all accounts together. */
export interface Evidence {
  /** The place of a domain in the sums of every model, always the same; -1: there are too many domains to keep it. */
  placeOf(domain: string): number;
  /** The evidence about one model (`provider/name`) for an account; undefined: none. */
  forModel(accountId: string, model: string): ModelEvidence | undefined;
}

/**
 * The sums of one model: two numbers for each domain at twice its place, the weight and the surplus. Plain numbers in a
 * row, as every request reads several domains of every model. A list ends after the last domain with outcomes.
 */
export interface ModelEvidence {
  readonly own: readonly number[];
  readonly shared: readonly number[];
}

export const NO_EVIDENCE: Evidence = { placeOf: () => -1, forModel: () => undefined };

/**
 * How a model's listed capabilities fit a task. listed: it lists this work. related: it lists work of the same family.
 * other: it lists other work only. unsaid: it lists no work.
 */
export type Fit = "listed" | "related" | "other" | "unsaid";
