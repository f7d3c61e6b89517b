import type { Caller } from "../domain/caller.ts";
import type { NanoCredits } from "../kit/money.ts";
import type { BudgetBook, BudgetHold } from "./budget-book.ts";
import type { LedgerStore } from "./ledger-store.ts";
import { Purse } from "./purse.ts";

export interface Spendable {
  readonly balance: NanoCredits;
  /** undefined: the key has no budget of its own. */
  readonly budget: NanoCredits | undefined;
}

/** Everything this instance may spend, account by account. */
export class Funds {
  readonly #ledger: LedgerStore;
  readonly #budgets: BudgetBook;
  readonly #purses = new Map<string, Purse>();

  constructor(ledger: LedgerStore, budgets: BudgetBook) {
    this.#ledger = ledger;
    this.#budgets = budgets;
  }

  /** What the caller could spend on one request, exact wherever it is below `enough`. */
  async spendable(caller: Caller, enough: NanoCredits): Promise<Spendable> {
    const balance = await this.#purseOf(caller.accountId).spendable(enough);
    return { balance, budget: await this.#budgets.left(caller) };
  }

  /** What requests now running have set aside. */
  heldOf(accountId: string): NanoCredits {
    return this.#purses.get(accountId)?.held ?? 0n;
  }

  /** An empty hold: raise it to set money aside, and end it exactly once. */
  async openHold(caller: Caller): Promise<Hold> {
    return new Hold(this.#purseOf(caller.accountId), await this.#budgets.open(caller));
  }

  /** After trouble with the store: every slice as the books have it. */
  async resync(): Promise<void> {
    await Promise.all([...this.#purses.values()].map((purse) => purse.resync()));
  }

  #purseOf(accountId: string): Purse {
    let purse = this.#purses.get(accountId);
    if (purse === undefined) {
      purse = new Purse(accountId, this.#ledger);
      this.#purses.set(accountId, purse);
    }
    return purse;
  }
}

/** Money set aside for one request, from the account's balance and from the key's budget at once. */
export class Hold {
  readonly #purse: Purse;
  readonly #budget: BudgetHold | undefined;
  #amount: NanoCredits = 0n;
  #ended = false;

  constructor(purse: Purse, budget: BudgetHold | undefined) {
    this.#purse = purse;
    this.#budget = budget;
  }

  get amount(): NanoCredits {
    return this.#amount;
  }

  /** Raises the hold to `amount`, or says what is too small and leaves it as it was. */
  async raiseTo(amount: NanoCredits): Promise<"held" | "balance" | "budget"> {
    const more = amount - this.#amount;
    if (more <= 0n) return "held";
    if (!(await this.#purse.hold(more))) return "balance";
    if (this.#budget !== undefined && !this.#budget.raise(more)) {
      this.#purse.release(more);
      return "budget";
    }
    this.#amount = amount;
    return "held";
  }

  /** The charge is written: what was not charged is free again. */
  capture(charged: NanoCredits): void {
    this.#endOnce();
    this.#purse.capture(this.#amount, charged);
    this.#budget?.end(this.#amount, charged);
  }

  /** Nothing is charged: all of it is free again. */
  release(): void {
    this.#endOnce();
    this.#purse.release(this.#amount);
    this.#budget?.end(this.#amount, 0n);
  }

  /** The write's answer was lost: the books say what was charged. Nothing is free again before they have been read. */
  async endUnsure(): Promise<void> {
    this.#endOnce();
    // Where the books can't be read now, the purse reads them before it is used again.
    await this.#purse.resync().catch(() => undefined);
    this.#purse.release(this.#amount);
    this.#budget?.endUnsure();
  }

  #endOnce(): void {
    if (this.#ended) throw new Error("A hold ended twice.");
    this.#ended = true;
  }
}
