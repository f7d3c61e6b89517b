import type { Tally } from "@trunkline/core/prediction.ts";
import type { SumChange } from "./learning-store.ts";

/** How much of what was learnt is left after one more outcome: a model that got worse is found out after a thousand. */
export const FORGETTING = 0.999;

/** What came in since the store was last told, to be added there: first the store's own sum is forgotten by so many steps. */
export interface Addition {
  /** How many outcomes it made the sum older by. */
  readonly steps: number;
  readonly weight: number;
  readonly surplus: number;
}

/** A sum that forgets: what the store has, and what it has not been told yet. It is read as a tally. */
export class LearntSum implements Tally {
  weight = 0;
  surplus = 0;
  readonly #most: number;
  #steps = 0;
  #newWeight = 0;
  #newSurplus = 0;

  /** No outcome is further than `most` from what was predicted. */
  constructor(most = 1) {
    this.#most = most;
  }

  get isPending(): boolean {
    return this.#steps !== 0 || this.#newWeight !== 0 || this.#newSurplus !== 0;
  }

  /** `steps` is 0 where something that was counted is only changed. */
  add({ steps, weight, surplus }: Addition): void {
    const left = FORGETTING ** steps;
    this.#steps += steps;
    this.#newWeight = this.#newWeight * left + weight;
    this.#newSurplus = this.#newSurplus * left + surplus;
    this.#show(this.weight * left + weight, this.surplus * left + surplus);
  }

  /** Hands over what the store has not been told yet. From now on it counts as told, unless it is added again. */
  take(): Addition {
    const taken = { steps: this.#steps, weight: this.#newWeight, surplus: this.#newSurplus };
    this.#steps = 0;
    this.#newWeight = 0;
    this.#newSurplus = 0;
    return taken;
  }

  /** Puts back what the store could not take. What is read does not change by it. */
  putBack({ steps, weight, surplus }: Addition): void {
    const left = FORGETTING ** this.#steps;
    this.#newWeight += weight * left;
    this.#newSurplus += surplus * left;
    this.#steps += steps;
  }

  /** What the store has now, with all that it was told. */
  reset({ weight, surplus }: Tally): void {
    const left = FORGETTING ** this.#steps;
    this.#show(weight * left + this.#newWeight, surplus * left + this.#newSurplus);
  }

  /** What was taken back twice, or was forgotten before it was taken back, must not leave more surplus than outcomes. */
  #show(weight: number, surplus: number): void {
    this.weight = Math.max(0, weight);
    const most = this.weight * this.#most;
    this.surplus = Math.max(-most, Math.min(surplus, most));
  }
}

/** The same, as the store is told it. */
export function changeOf({ steps, weight, surplus }: Addition): SumChange {
  return { left: FORGETTING ** steps, weight, surplus };
}
