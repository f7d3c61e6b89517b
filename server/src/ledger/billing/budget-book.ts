import { startOfPeriod } from "@trunkline/core/budget-period.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { BudgetPool } from "@trunkline/core/funds-pool.ts";
import { LeasedFunds } from "./leased-funds.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** What a key may spend in one period, and this instance's slice of it. */
export interface OpenBudget {
  readonly pool: BudgetPool;
  readonly funds: LeasedFunds;
}

/** The budgets of keys, one purse for each key and period. */
export class KeyBudgets {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #entries = new Map<string, OpenBudget>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /**
   * The budget that a request of this moment is paid from; undefined where the key has none. The moment is the
   * request's arrival, by which usage is summed too: a request belongs to one day, even if it ends in the next.
   */
  async open(caller: Caller, at: number): Promise<OpenBudget | undefined> {
    if (caller.budget === undefined) return undefined;
    const { keyId, budget } = caller;
    const { period, limit } = budget;
    const startsAt = startOfPeriod(period, at, caller.timeZone);
    const name = `${keyId} ${period} ${startsAt}`;
    const known = this.#entries.get(name);
    if (known !== undefined && known.pool.limit === limit) return known;
    const pool: BudgetPool = { kind: "budget", keyId, period, startsAt, limit };
    // Nothing is awaited before a new one is entered: two purses over one slice would both spend it.
    const entry = { pool, funds: known?.funds ?? new LeasedFunds(pool, this.#ledger, this.#clock) };
    if (known !== undefined) await known.funds.changePool(pool);
    this.#entries.set(name, entry);
    return entry;
  }

  /** The purses of one key, of every period that is in use. */
  fundsOf(keyId: string): readonly LeasedFunds[] {
    return [...this.#entries.values()]
      .filter(({ pool: lot }) => lot.keyId === keyId)
      .map(({ funds: leasedFunds }) => leasedFunds);
  }

  all(): readonly LeasedFunds[] {
    return [...this.#entries.values()].map(({ funds: leasedFunds }) => leasedFunds);
  }

  /** Periods end and keys fall silent: what holds nothing is forgotten. */
  evictUnused(): void {
    for (const [name, { funds: leasedFunds }] of this.#entries)
      if (leasedFunds.canEvict) this.#entries.delete(name);
  }
}
