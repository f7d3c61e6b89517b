import type { FundsPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Settlement } from "./settlement.ts";

/** What became of a batch that was written. */
export interface WriteOutcome {
  /** Requests whose idempotency key went to another run meanwhile: neither recorded nor charged. */
  readonly lost: ReadonlySet<string>;
  /** The leases were no longer what the instance thought, and were mended: its purses must read the books. */
  readonly leasesChanged: boolean;
}

/** The durable side of the money. Every method is one transaction. */
export interface LedgerStore {
  readPool(fundsPool: FundsPool): Promise<FundsPoolState>;
  /**
   * Moves a slice of a lot to this instance: at least `need`, more while there is plenty.
   * Returns what was moved; 0n where less than `need` is unleased, and nothing was moved.
   */
  extendLease(fundsPool: FundsPool, need: NanoCredits): Promise<NanoCredits>;
  /** Moves a part of this instance's slice back. */
  returnLease(fundsPool: FundsPool, amount: NanoCredits): Promise<void>;
  /** Asks all other instances to give back what they don't need, and takes what dead ones have left. */
  recall(fundsPool: FundsPool): Promise<void>;
  /**
   * Charges, records and idempotent answers of a batch: all or nothing, and writing one twice changes nothing.
   * Throws `LeaseLost` where the money is no longer there.
   */
  write(batch: readonly Settlement[]): Promise<WriteOutcome>;
}
