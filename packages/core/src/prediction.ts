/** What a request is about and how hard it is, as read off the request itself. */
export interface PromptFeatures {
  /** The likeliest domain, for people: "maths", "code", "law". */
  readonly domain: string;
  /** Of which family of tasks that is. What was learnt of one family never speaks for another. */
  readonly family: string;
  /** 0 to 1: how surely it is that domain. */
  readonly confidence: number;
  /** 0 to 1: how hard it is among requests of its kind. */
  readonly difficulty: number;
  /** The domains that it may be of, the likeliest first, together at most 1: what is missing is of no domain that is known. */
  readonly shares: readonly DomainShare[];
}

export interface DomainShare {
  readonly domain: string;
  readonly share: number;
}

/** How good one model's answer will be. */
export interface Prediction {
  /** 0 to 1. */
  readonly quality: number;
  /** The same at its lower bound: with little evidence it is far below. */
  readonly lower: number;
  /** The quality without what was learnt while serving: outcomes are compared with it. undefined: it is the same. */
  readonly unlearnt?: number | undefined;
  /** By how many outcomes it is backed, in their weight; 0: by what its provider says of it alone. */
  readonly evidence: number;
}

/** What outcomes say of one model in one domain, as sums that can be added: how much better its answers were than predicted. */
export interface OutcomeTally {
  /** How many outcomes, each by its weight. */
  readonly weight: number;
  /** The sum of weight × (outcome − what was predicted without any outcomes), each −1 to 1. */
  readonly surplus: number;
}

export const EMPTY_TALLY: OutcomeTally = { weight: 0, surplus: 0 };

/** What was learnt while serving: an account's own outcomes, and those of all accounts together. */
export interface Evidence {
  /** What is known of one model, `provider/name`, as an account sees it; undefined: nothing at all. */
  forModel(accountId: string, model: string): ModelEvidence | undefined;
}

export interface ModelEvidence {
  /** undefined: nothing in that domain. */
  inDomain(domain: string): { readonly own: OutcomeTally; readonly shared: OutcomeTally } | undefined;
}

export const NO_EVIDENCE: Evidence = { forModel: () => undefined };
