import { DECAY } from "./learnt-sum.ts";

const MAX_ACCOUNTS = 10_000;
/** As if so many answers without a complaint had gone before: what happened once is not usual yet. */
const PRIOR_ANSWERS = 10;

interface AccountCounts {
  answers: number;
  flawed: number;
  repeated: number;
}

/**
 * How often an account's answers usually are none, and how often it usually asks for another one. Both are signs of
 * quality only where they differ from what is usual: who asks for everything twice says nothing by it.
 */
export class BaselineRates {
  readonly #accounts = new Map<string, AccountCounts>();
  readonly #maxAccounts: number;

  constructor(most = MAX_ACCOUNTS) {
    this.#maxAccounts = most;
  }

  flawed(accountId: string): number {
    const accountCounts = this.#accounts.get(accountId);
    return accountCounts === undefined ? 0 : rateOf(accountCounts.flawed, accountCounts.answers);
  }

  repeated(accountId: string): number {
    const accountCounts = this.#accounts.get(accountId);
    return accountCounts === undefined ? 0 : rateOf(accountCounts.repeated, accountCounts.answers);
  }

  recordAnswer(accountId: string, isFlawed: boolean): void {
    const accountCounts = this.#accounts.get(accountId) ?? { answers: 0, flawed: 0, repeated: 0 };
    accountCounts.answers = accountCounts.answers * DECAY + 1;
    accountCounts.flawed = accountCounts.flawed * DECAY + (isFlawed ? 1 : 0);
    accountCounts.repeated *= DECAY;
    // Put at the end: the first is the one that was not heard of for longest.
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, accountCounts);
    if (this.#accounts.size <= this.#maxAccounts) return;
    for (const oldest of this.#accounts.keys()) {
      this.#accounts.delete(oldest);
      break;
    }
  }

  recordRepeat(accountId: string): void {
    const accountCounts = this.#accounts.get(accountId);
    if (accountCounts !== undefined) accountCounts.repeated += 1;
  }
}

function rateOf(times: number, answers: number): number {
  return Math.min(1, times / (answers + PRIOR_ANSWERS));
}
