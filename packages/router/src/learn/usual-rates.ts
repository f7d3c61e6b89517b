import { FORGETTING } from "./learnt-sum.ts";

const MOST_ACCOUNTS = 10_000;
/** As if so many answers without a complaint had gone before: what happened once is not usual yet. */
const HEAD_START = 10;

interface Counts {
  answers: number;
  flawed: number;
  repeated: number;
}

/**
 * How often an account's answers usually are none, and how often it usually asks for another one. Both are signs of
 * quality only where they differ from what is usual: who asks for everything twice says nothing by it.
 */
export class UsualRates {
  readonly #accounts = new Map<string, Counts>();
  readonly #most: number;

  constructor(most = MOST_ACCOUNTS) {
    this.#most = most;
  }

  flawed(accountId: string): number {
    const counts = this.#accounts.get(accountId);
    return counts === undefined ? 0 : rateOf(counts.flawed, counts.answers);
  }

  repeated(accountId: string): number {
    const counts = this.#accounts.get(accountId);
    return counts === undefined ? 0 : rateOf(counts.repeated, counts.answers);
  }

  note(accountId: string, isFlawed: boolean): void {
    const counts = this.#accounts.get(accountId) ?? { answers: 0, flawed: 0, repeated: 0 };
    counts.answers = counts.answers * FORGETTING + 1;
    counts.flawed = counts.flawed * FORGETTING + (isFlawed ? 1 : 0);
    counts.repeated *= FORGETTING;
    // Put at the end: the first is the one that was not heard of for longest.
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, counts);
    if (this.#accounts.size <= this.#most) return;
    for (const oldest of this.#accounts.keys()) {
      this.#accounts.delete(oldest);
      break;
    }
  }

  noteRepeated(accountId: string): void {
    const counts = this.#accounts.get(accountId);
    if (counts !== undefined) counts.repeated += 1;
  }
}

function rateOf(times: number, answers: number): number {
  return Math.min(1, times / (answers + HEAD_START));
}
