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
  #captured: NanoCredits = 0n;
  /** An answer of the books was lost: what is leased must be read anew before it is relied on. */
  #unsure = false;
  #turn: Promise<unknown> = Promise.resolve();

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
    if (this.#unsure) await this.resync();
    if (this.free >= enough) return this.free;
    const { unleased } = await this.#ledger.balanceOf(this.#accountId);
    return unleased + this.free;
  }

  /** Sets money aside, or answers false and changes nothing. */
  async hold(amount: NanoCredits): Promise<boolean> {
    // Others may take of a slice while it is on its way, so that one look at it is not enough.
    while (this.#unsure || this.free < amount) {
      const mayReach = await this.#inTurn(() => this.#refill(amount));
      if (!mayReach) return false;
    }
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
    this.#captured += charged;
  }

  /** Asks the books what the slice is, after a write whose outcome is unknown. */
  async resync(): Promise<void> {
    this.#unsure = true;
    await this.#inTurn(() => this.#readBooks());
  }

  /** Whether it is worth looking at the slice again. */
  async #refill(amount: NanoCredits): Promise<boolean> {
    if (this.#unsure) await this.#readBooks();
    const before = this.free;
    if (before >= amount) return true;
    const moved = await this.#extend(amount - before);
    // Not in one expression with the await: the slice may have shrunk meanwhile by what was captured.
    this.#leased += moved;
    // What was set free meanwhile may do together with what the books still have, although that alone did not.
    return moved > 0n || this.free > before;
  }

  async #extend(missing: NanoCredits): Promise<NanoCredits> {
    try {
      return await this.#ledger.extendLease(this.#accountId, missing);
    } catch (error) {
      // The slice may have been moved although the answer was lost.
      this.#unsure = true;
      throw error;
    }
  }

  async #readBooks(): Promise<void> {
    const capturedBefore = this.#captured;
    const leased = await this.#ledger.leaseOf(this.#accountId);
    // What was captured meanwhile may not be in the books' answer: too little is safe, too much is not.
    this.#leased = leased - (this.#captured - capturedBefore);
    this.#unsure = false;
  }

  /** One question to the books at a time, so that concurrent holds don't each lease what one slice would cover. */
  #inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
    const answer = this.#turn.then(ask);
    this.#turn = answer.catch(() => undefined);
    return answer;
  }
}
