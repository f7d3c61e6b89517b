import type { FundsPoolState } from "@trunkline/core/funds-pool.ts";
import { NANO_PER_CREDIT, type NanoCredits } from "@trunkline/core/money.ts";
import type { LedgerStore, WriteOutcome } from "../../server/src/ledger/billing/ledger-store.ts";

/** The size of slice that the real ledger lends of the bench's 1,000 credits, so that as many requests share one. */
const SLICE = 125n * NANO_PER_CREDIT;
const PLENTY = 1_000_000n * NANO_PER_CREDIT;

/** A ledger that always lends and stores nothing. */
export class UnlimitedLedger implements LedgerStore {
  async readPool(): Promise<FundsPoolState> {
    return { total: PLENTY, unleased: PLENTY, mine: 0n };
  }

  async extendLease(_pool: unknown, need: NanoCredits): Promise<NanoCredits> {
    return need > SLICE ? need : SLICE;
  }

  async returnLease(): Promise<void> {}

  async readDebt(): Promise<NanoCredits> {
    return 0n;
  }

  async recall(): Promise<void> {}

  async giveBackCharge(): Promise<void> {}

  async write(): Promise<WriteOutcome> {
    throw new Error("A gateway without a ledger wrote to it.");
  }
}
