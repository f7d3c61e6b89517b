import type { OutcomeTally } from "@trunkline/core/prediction.ts";

/** What is to be added to a sum: first so much of what is there is left, then this comes on top. */
interface SumChange {
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

/** How much of what was learnt is left after one more outcome: a model that got worse is found out after a thousand. */
export const DECAY = 0.999;

/** What came in since the store was last told, to be added there: first the store's own sum is forgotten by so many steps. */
export interface SumIncrement {
  /** How many outcomes it made the sum older by. */
  readonly steps: number;
  readonly weight: number;
  readonly surplus: number;
}

/** A sum that forgets: what the store has, and what it has not been told yet. It is read as a tally. */
export class DecayingSum implements OutcomeTally {
  weight = 0;
  surplus = 0;
  readonly #maxDeviation: number;
  #steps = 0;
  #newWeight = 0;
  #newSurplus = 0;

  /** No outcome is further than `most` from what was predicted. */
  constructor(most = 1) {
    this.#maxDeviation = most;
  }

  get isPending(): boolean {
    return this.#steps !== 0 || this.#newWeight !== 0 || this.#newSurplus !== 0;
  }

  /** `steps` is 0 where something that was counted is only changed. */
  add({ steps, weight, surplus }: SumIncrement): void {
    const left = DECAY ** steps;
    this.#steps += steps;
    this.#newWeight = this.#newWeight * left + weight;
    this.#newSurplus = this.#newSurplus * left + surplus;
    this.#show(this.weight * left + weight, this.surplus * left + surplus);
  }

  /** Hands over what the store has not been told yet. From now on it counts as told, unless it is added again. */
  takePending(): SumIncrement {
    const taken = { steps: this.#steps, weight: this.#newWeight, surplus: this.#newSurplus };
    this.#steps = 0;
    this.#newWeight = 0;
    this.#newSurplus = 0;
    return taken;
  }

  /** Puts back what the store could not take. What is read does not change by it. */
  putBack({ steps, weight, surplus }: SumIncrement): void {
    const left = DECAY ** this.#steps;
    this.#newWeight += weight * left;
    this.#newSurplus += surplus * left;
    this.#steps += steps;
  }

  /** What the store has now, with all that it was told. */
  reset({ weight, surplus }: OutcomeTally): void {
    const left = DECAY ** this.#steps;
    this.#show(weight * left + this.#newWeight, surplus * left + this.#newSurplus);
  }

  /** What was taken back twice, or was forgotten before it was taken back, must not leave more surplus than outcomes. */
  #show(weight: number, surplus: number): void {
    this.weight = Math.max(0, weight);
    const most = this.weight * this.#maxDeviation;
    this.surplus = Math.max(-most, Math.min(surplus, most));
  }
}

/** The same, as the store is told it. */
export function toSumChange({ steps, weight, surplus }: SumIncrement): SumChange {
  return { decayFactor: DECAY ** steps, weight, surplus };
}
