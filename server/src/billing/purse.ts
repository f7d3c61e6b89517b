import type { NanoCredits } from "../kit/money.ts";
import type { LedgerStore } from "./ledger-store.ts";

/**
 * The slice of one account's balance that this instance may spend, in memory.
 * Holds are decided here without asking the store; the store is asked only when the slice runs low.
 */
export class Purse {
  readonly #accountId: string;
  readonly #ledger: LedgerStore;
  #leased: NanoCredits = 0n;
  #held: NanoCredits = 0n;
  #extending: Promise<unknown> = Promise.resolve();

  constructor(accountId: string, ledger: LedgerStore) {
    this.#accountId = accountId;
    this.#ledger = ledger;
  }

  get free(): NanoCredits {
    return this.#leased - this.#held;
  }

  get held(): NanoCredits {
    return this.#held;
  }

  /** What could be held now, exact wherever it is below `enough`. */
  async spendable(enough: NanoCredits): Promise<NanoCredits> {
    if (this.free >= enough) return this.free;
    const { unleased } = await this.#ledger.balanceOf(this.#accountId);
    return unleased + this.free;
  }

  /** Sets money aside, or answers false and changes nothing. */
  async hold(amount: NanoCredits): Promise<boolean> {
    if (this.free < amount) await this.#extendTo(amount);
    if (this.free < amount) return false;
    this.#held += amount;
    return true;
  }

  release(held: NanoCredits): void {
    this.#held -= held;
  }

  /** Called once the charge is written: the hold ends and the slice is smaller by what was charged. */
  capture(held: NanoCredits, charged: NanoCredits): void {
    this.#held -= held;
    this.#leased -= charged;
  }

  /** Asks the books what the slice is, after a write whose outcome is unknown. */
  async resync(): Promise<void> {
    this.#leased = await this.#ledger.leaseOf(this.#accountId);
  }

  /** One extension at a time, so that concurrent holds don't each lease what one slice would cover. */
  #extendTo(amount: NanoCredits): Promise<void> {
    const extended = this.#extending.then(async () => {
      const missing = amount - this.free;
      if (missing <= 0n) return;
      const moved = await this.#ledger.extendLease(this.#accountId, missing);
      // Not in one expression with the await: the slice may have shrunk meanwhile by what was captured.
      this.#leased += moved;
    });
    this.#extending = extended.catch(() => undefined);
    return extended;
  }
}
