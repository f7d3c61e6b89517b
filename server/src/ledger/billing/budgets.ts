import { startOfPeriod } from "@trunkline/core/budget-period.ts";
import type { Budget, Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { AccountBudgetPool, BudgetPool } from "@trunkline/core/funds-pool.ts";
import { LeasedFunds } from "./leased-funds.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** A budget for one period, and this instance's lease of it. */
export interface OpenBudget<Pool> {
  readonly pool: Pool;
  readonly funds: LeasedFunds;
}

/** Whose budgets these are. */
interface BudgetOwner<Pool> {
  idOf(caller: Caller): string;
  /** undefined: it has none. */
  budgetOf(caller: Caller): Budget | undefined;
  poolOf(caller: Caller, budget: Budget, startsAt: number | undefined): Pool;
}

export const KEYS: BudgetOwner<BudgetPool> = {
  idOf: ({ keyId }) => keyId,
  budgetOf: ({ budget }) => budget,
  poolOf: ({ keyId, accountId }, { period, limit }, startsAt) => ({
    kind: "budget",
    keyId,
    accountId,
    period,
    startsAt,
    limit,
  }),
};

export const ACCOUNTS: BudgetOwner<AccountBudgetPool> = {
  idOf: ({ accountId }) => accountId,
  budgetOf: ({ accountBudget }) => accountBudget,
  poolOf: ({ accountId }, { period, limit }, startsAt) => ({
    kind: "account-budget",
    accountId,
    period,
    startsAt,
    limit,
  }),
};

/** The budgets of keys or of accounts, with one `LeasedFunds` for each of them and each period. */
export class Budgets<Pool extends BudgetPool | AccountBudgetPool> {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #owner: BudgetOwner<Pool>;
  readonly #entries = new Map<string, OpenBudget<Pool> & { readonly ownerId: string }>();

  constructor(ledger: LedgerStore, clock: Clock, owner: BudgetOwner<Pool>) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * The budget that pays a request which arrived at this time; undefined where there is none. Usage is summed by
   * arrival too, so a request belongs to one day even if it ends in the next. Returns a promise only where the budget's
   * limit was changed.
   */
  open(caller: Caller, at: number): OpenBudget<Pool> | undefined | Promise<OpenBudget<Pool>> {
    const budget = this.#owner.budgetOf(caller);
    if (budget === undefined) return undefined;
    const ownerId = this.#owner.idOf(caller);
    const startsAt = startOfPeriod(budget.period, at, caller.timeZone);
    const name = `${ownerId} ${budget.period} ${startsAt}`;
    const known = this.#entries.get(name);
    if (known !== undefined && known.pool.limit === budget.limit) return known;
    const pool = this.#owner.poolOf(caller, budget, startsAt);
    if (known !== undefined) return this.#changeTerms(name, { ...known, pool });
    // Nothing is awaited before a new entry is set: two LeasedFunds over one lease would both spend it.
    const entry = { ownerId, pool, funds: new LeasedFunds(pool, this.#ledger, this.#clock) };
    this.#entries.set(name, entry);
    return entry;
  }

  async #changeTerms(name: string, entry: OpenBudget<Pool> & { readonly ownerId: string }): Promise<OpenBudget<Pool>> {
    await entry.funds.changePool(entry.pool);
    this.#entries.set(name, entry);
    return entry;
  }

  /** The funds of one key or account, of every period in use. */
  fundsOf(ownerId: string): readonly LeasedFunds[] {
    return [...this.#entries.values()].filter((entry) => entry.ownerId === ownerId).map(({ funds }) => funds);
  }

  all(): readonly LeasedFunds[] {
    return [...this.#entries.values()].map(({ funds }) => funds);
  }

  /** Drops the entries of ended periods and of those that are not used. */
  evictUnused(): void {
    for (const [name, { funds }] of this.#entries) if (funds.canEvict) this.#entries.delete(name);
  }
}
