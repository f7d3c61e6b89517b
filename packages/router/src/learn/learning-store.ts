import type { OutcomeTally } from "@trunkline/core/prediction.ts";

/** What is to be added to a sum: first so much of what is there is left, then this comes on top. */
export interface SumChange {
  /** 0 to 1. */
  readonly decayFactor: number;
  readonly weight: number;
  readonly surplus: number;
}

export interface OutcomeKey {
  readonly accountId: string;
  /** `provider/name` */
  readonly model: string;
  readonly domain: string;
}

export interface LengthKey {
  /** `provider/name` */
  readonly model: string;
  /** Empty: of whatever task. */
  readonly task: string;
  /** Empty: of whatever domain. */
  readonly domain: string;
}

/** What one account's outcomes say. */
export type AccountOutcomeRow = OutcomeKey & OutcomeTally;
/** What all accounts' outcomes say together, each with a bounded weight. */
export type SharedOutcomeRow = Omit<OutcomeKey, "accountId"> & OutcomeTally & { readonly accounts: number };
/** How long answers are; the surplus is the sum of logarithms. */
export type LengthRow = LengthKey & OutcomeTally;

export const OUTCOME_SOURCES = ["feedback", "check", "flaw", "regeneration"] as const;
/** How an outcome was seen: somebody said so, the form that was asked for was checked, there was no answer, or it was asked for again. */
export type OutcomeSource = (typeof OUTCOME_SOURCES)[number];

/** One outcome that was counted. */
export interface OutcomeRecord {
  readonly accountId: string;
  readonly requestId: string;
  readonly source: OutcomeSource;
  readonly model: string;
  /** The likeliest domain of the request. */
  readonly domain: string;
  /** How likely the choice of this model was. */
  readonly propensity: number;
  /** What was predicted when the model was chosen. */
  readonly predictedQuality: number;
  /** 0 to 1. */
  readonly outcome: number;
  readonly weight: number;
  readonly notedAt: Date;
}

/** All that one instance has learnt since it last told the store. */
export interface LearningBatch {
  readonly outcomes: readonly (OutcomeKey & SumChange & { readonly lends: boolean })[];
  readonly lengths: readonly (LengthKey & SumChange)[];
  readonly records: readonly OutcomeRecord[];
  /** With at most this weight an account counts for all others, per model and domain. */
  readonly maxWeightPerAccount: number;
}

/** What changed since a version, or, at the start, what there is. */
export interface LearningChanges {
  readonly version: bigint;
  readonly own: readonly AccountOutcomeRow[];
  readonly shared: readonly SharedOutcomeRow[];
  readonly lengths: readonly LengthRow[];
}

/** Where what all instances learn meets. */
export interface LearningStore {
  add(learningBatch: LearningBatch): Promise<void>;
  /** What all know together, and all that is known of the accounts to which the last so many changes belong. */
  readAll(mostRecent: number): Promise<LearningChanges>;
  changedSince(version: bigint): Promise<LearningChanges>;
  readAccounts(accountIds: readonly string[]): Promise<AccountOutcomeRow[]>;
}
