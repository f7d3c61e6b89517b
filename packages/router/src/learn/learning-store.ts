import type { OutcomeTally } from "@trunkline/core/prediction.ts";

/** A change of a stored sum: the sum is first multiplied by `decayFactor`, then this is added. */
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
  /** Empty: all tasks. */
  readonly task: string;
  /** Empty: all domains. */
  readonly domain: string;
}

/** The outcomes of one account. */
export type AccountOutcomeRow = OutcomeKey & OutcomeTally;
/** The outcomes of all accounts together, each with a bounded weight. */
export type SharedOutcomeRow = Omit<OutcomeKey, "accountId"> & OutcomeTally & { readonly accounts: number };
/** The lengths of answers; the surplus is the sum of logarithms. */
export type LengthRow = LengthKey & OutcomeTally;

export const OUTCOME_SOURCES = ["feedback", "check", "flaw", "regeneration"] as const;
/** The source of an outcome: feedback, a check of the requested form, no answer, or a repeated question. */
export type OutcomeSource = (typeof OUTCOME_SOURCES)[number];

export interface OutcomeRecord {
  readonly accountId: string;
  readonly requestId: string;
  readonly source: OutcomeSource;
  readonly model: string;
  /** The most likely domain of the request. */
  readonly domain: string;
  /** The probability that this model was chosen. */
  readonly propensity: number;
  /** The prediction when the model was chosen. */
  readonly predictedQuality: number;
  /** 0 to 1. */
  readonly outcome: number;
  readonly weight: number;
  readonly notedAt: Date;
}

/** What one instance has learnt since its last write. */
export interface LearningBatch {
  readonly outcomes: readonly (OutcomeKey & SumChange & { readonly lends: boolean })[];
  readonly lengths: readonly (LengthKey & SumChange)[];
  readonly records: readonly OutcomeRecord[];
  /** The maximum weight of one account in the shared sums, per model and domain. */
  readonly maxWeightPerAccount: number;
}

/** The changes since a version; at the start, everything. */
export interface LearningChanges {
  readonly version: bigint;
  readonly own: readonly AccountOutcomeRow[];
  readonly shared: readonly SharedOutcomeRow[];
  readonly lengths: readonly LengthRow[];
}

/** Shares what all instances learn. */
export interface LearningStore {
  add(learningBatch: LearningBatch): Promise<void>;
  /** Adds single outcomes whose sums are in another batch. */
  addRecords(records: readonly OutcomeRecord[]): Promise<void>;
  /** The shared sums, and all sums of the accounts with the latest changes. */
  readAll(mostRecent: number): Promise<LearningChanges>;
  changedSince(version: bigint): Promise<LearningChanges>;
  readAccounts(accountIds: readonly string[]): Promise<AccountOutcomeRow[]>;
}

/** The decay per outcome: a model that got worse is recognised after about a thousand. */
export const DECAY = 0.999;

/** The changes since the last write. The stored sum decays by `steps` before they are added. */
export interface SumIncrement {
  /** By how many outcomes the sum decays. */
  readonly steps: number;
  readonly weight: number;
  readonly surplus: number;
}

/** A sum in which old outcomes decay: the stored value and the pending changes. */
export class DecayingSum implements OutcomeTally {
  weight = 0;
  surplus = 0;
  readonly #maxDeviation: number;
  #steps = 0;
  #newWeight = 0;
  #newSurplus = 0;

  /** `most` bounds the difference of an outcome to its prediction. */
  constructor(most = 1) {
    this.#maxDeviation = most;
  }

  get isPending(): boolean {
    return this.#steps !== 0 || this.#newWeight !== 0 || this.#newSurplus !== 0;
  }

  /** `steps` is 0 for a change of an outcome that is already counted. */
  add({ steps, weight, surplus }: SumIncrement): void {
    const left = DECAY ** steps;
    this.#steps += steps;
    this.#newWeight = this.#newWeight * left + weight;
    this.#newSurplus = this.#newSurplus * left + surplus;
    this.#show(this.weight * left + weight, this.surplus * left + surplus);
  }

  /** Takes the pending changes. They count as written, unless they are put back. */
  takePending(): SumIncrement {
    const taken = { steps: this.#steps, weight: this.#newWeight, surplus: this.#newSurplus };
    this.#steps = 0;
    this.#newWeight = 0;
    this.#newSurplus = 0;
    return taken;
  }

  /** Puts back changes whose write failed. The value does not change. */
  putBack({ steps, weight, surplus }: SumIncrement): void {
    const left = DECAY ** this.#steps;
    this.#newWeight += weight * left;
    this.#newSurplus += surplus * left;
    this.#steps += steps;
  }

  /** Sets the stored value. */
  reset({ weight, surplus }: OutcomeTally): void {
    const left = DECAY ** this.#steps;
    this.#show(weight * left + this.#newWeight, surplus * left + this.#newSurplus);
  }

  /** An outcome that is retracted twice, or after it decayed, must not leave more surplus than outcomes. */
  #show(weight: number, surplus: number): void {
    this.weight = Math.max(0, weight);
    const most = this.weight * this.#maxDeviation;
    this.surplus = Math.max(-most, Math.min(surplus, most));
  }
}

/** The form in which the store takes it. */
export function toSumChange({ steps, weight, surplus }: SumIncrement): SumChange {
  return { decayFactor: DECAY ** steps, weight, surplus };
}
