import { startOfPeriod } from "@trunkline/core/budget-period.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import type { BudgetLot } from "@trunkline/core/funds-pool.ts";
import { Purse } from "./leased-funds.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** What a key may spend in one period, and this instance's slice of it. */
export interface OpenBudget {
  readonly lot: BudgetLot;
  readonly purse: Purse;
}

/** The budgets of keys, one purse for each key and period. */
export class BudgetBook {
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
    if (known !== undefined && known.lot.limit === limit) return known;
    const lot: BudgetLot = { kind: "budget", keyId, period, startsAt, limit };
    // Nothing is awaited before a new one is entered: two purses over one slice would both spend it.
    const entry = { lot, purse: known?.purse ?? new Purse(lot, this.#ledger, this.#clock) };
    if (known !== undefined) await known.purse.changeLot(lot);
    this.#entries.set(name, entry);
    return entry;
  }

  /** The purses of one key, of every period that is in use. */
  pursesOf(keyId: string): readonly Purse[] {
    return [...this.#entries.values()].filter(({ lot }) => lot.keyId === keyId).map(({ purse }) => purse);
  }

  all(): readonly Purse[] {
    return [...this.#entries.values()].map(({ purse }) => purse);
  }

  /** Periods end and keys fall silent: what holds nothing is forgotten. */
  forgetUnused(): void {
    for (const [name, { purse }] of this.#entries) if (purse.isForgettable) this.#entries.delete(name);
  }
}
