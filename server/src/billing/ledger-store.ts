import type { NanoCredits } from "../kit/money.ts";
import type { Settlement } from "./settlement.ts";

export interface AccountBalance {
  /** All of the account's money, leased to an instance or not. */
  readonly total: NanoCredits;
  /** What no instance has leased yet. */
  readonly unleased: NanoCredits;
}

/** The durable side of the money. Every method is one transaction. */
export interface LedgerStore {
  balanceOf(accountId: string): Promise<AccountBalance>;
  /**
   * Moves a slice of the balance to this instance: at least `need`, more while there is plenty.
   * Returns what was moved; 0n where the balance is below `need`, and nothing was moved.
   */
  extendLease(accountId: string, need: NanoCredits): Promise<NanoCredits>;
  /** What this instance may still spend of the account's money, by the books. */
  leaseOf(accountId: string): Promise<NanoCredits>;
  /** What a key's requests have cost since a moment, or ever. */
  spentByKey(keyId: string, since: Date | undefined): Promise<NanoCredits>;
  /** Charges, records and idempotent answers of a batch: all or nothing, and writing one twice changes nothing. */
  write(batch: readonly Settlement[]): Promise<void>;
}
