import type { FundsPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Settlement } from "./settlement.ts";

/** The result of a written batch. */
export interface WriteOutcome {
  /** Requests whose idempotency key went to another run meanwhile. They are neither recorded nor charged. */
  readonly lost: ReadonlySet<string>;
  /** The leases differed from what the instance assumed and were corrected. Its LeasedFunds must read the ledger. */
  readonly leasesChanged: boolean;
}

/** The durable ledger. Every method is one transaction. */
export interface LedgerStore {
  readPool(fundsPool: FundsPool): Promise<FundsPoolState>;
  /**
   * Leases funds of a pool to this instance: at least `need`, more while the pool has plenty.
   * Returns what was leased; 0n where less than `need` is unleased, and nothing changed.
   */
  extendLease(fundsPool: FundsPool, need: NanoCredits): Promise<NanoCredits>;
  /** Gives a part of this instance's lease back. */
  returnLease(fundsPool: FundsPool, amount: NanoCredits): Promise<void>;
  /** What an account owes after refunds and disputes that its balance did not cover. */
  readDebt(accountId: string): Promise<NanoCredits>;
  /** Asks all other instances to give back what they don't need, and reclaims the leases of dead ones. */
  recall(fundsPool: FundsPool): Promise<void>;
  /**
   * Writes the charges, records and idempotent answers of a batch: all or nothing. Writing one twice changes nothing.
   * Throws `LeaseLost` where the leased money is no longer there.
   */
  write(batch: readonly Settlement[]): Promise<WriteOutcome>;
  /** Gives back what a request was charged, once, where it was charged at all. */
  giveBackCharge(settlement: Pick<Settlement, "requestId" | "accountId">): Promise<void>;
}
