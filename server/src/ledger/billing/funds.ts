import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { type BudgetLot, balanceLot } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { BudgetBook, type OpenBudget } from "./budget-book.ts";
import { Purse } from "./leased-funds.ts";
import type { LedgerStore } from "./ledger-store.ts";

export interface Spendable {
  readonly balance: NanoCredits;
  /** undefined: the key has no budget of its own. */
  readonly budget: NanoCredits | undefined;
}

/** What another instance lacks: an account's balance, or a key's budget. */
export interface Recall {
  readonly kind: "balance" | "budget";
  readonly id: string;
  /** Both may be searching: the other one is to be served first. */
  readonly goesFirst: boolean;
}

/** Everything this instance may spend: of each account's balance and of each key's budget. */
export class Funds {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #budgets: BudgetBook;
  readonly #purses = new Map<string, Purse>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#budgets = new BudgetBook(ledger, clock);
  }

  /** What the caller could spend on one request. Exact where it is below `least`, and never much off below `enough`. */
  async spendable(caller: Caller, at: number, least: NanoCredits, enough: NanoCredits): Promise<Spendable> {
    const balance = await this.#purseOf(caller.accountId).spendable(least, enough);
    const budget = await this.#budgets.open(caller, at);
    return { balance, budget: await budget?.purse.spendable(least, enough) };
  }

  /** What requests now running have set aside. */
  heldOf(accountId: string): NanoCredits {
    return this.#purses.get(accountId)?.held ?? 0n;
  }

  /** An empty hold: raise it to set money aside, and end it exactly once. */
  async openHold(caller: Caller, at: number): Promise<Hold> {
    const budget = await this.#budgets.open(caller, at);
    return new Hold(this.#purseOf(caller.accountId), budget);
  }

  /** After trouble with the store: every slice as the books have it. */
  async resync(): Promise<void> {
    await Promise.all(this.#all().map((purse) => purse.resync()));
  }

  /** Waits until no question to the books is under way. */
  async rest(): Promise<void> {
    await Promise.all(this.#all().map((purse) => purse.rest()));
  }

  /** Another instance lacks what this one may have to spare. */
  async heed({ kind, id, goesFirst }: Recall): Promise<void> {
    if (kind === "balance") await this.#purses.get(id)?.yieldSpare(goesFirst);
    else await Promise.all(this.#budgets.pursesOf(id).map((purse) => purse.yieldSpare(goesFirst)));
  }

  /** Gives back what nobody has used for a while. */
  async tidy(): Promise<void> {
    await Promise.all(this.#all().map((purse) => purse.tidy()));
    for (const [accountId, purse] of this.#purses) if (purse.isForgettable) this.#purses.delete(accountId);
    this.#budgets.forgetUnused();
  }

  #all(): readonly Purse[] {
    return [...this.#purses.values(), ...this.#budgets.all()];
  }

  #purseOf(accountId: string): Purse {
    let purse = this.#purses.get(accountId);
    if (purse === undefined) {
      purse = new Purse(balanceLot(accountId), this.#ledger, this.#clock);
      this.#purses.set(accountId, purse);
    }
    return purse;
  }
}

/** Money set aside for one request, from the account's balance and from the key's budget at once. */
export class Hold {
  readonly #balance: Purse;
  readonly #budget: OpenBudget | undefined;
  #amount: NanoCredits = 0n;
  #ended = false;

  constructor(balance: Purse, budget: OpenBudget | undefined) {
    this.#balance = balance;
    this.#budget = budget;
    for (const purse of this.#purses) purse.open();
  }

  get amount(): NanoCredits {
    return this.#amount;
  }

  /** The key's budget that is charged beside the balance. */
  get budget(): BudgetLot | undefined {
    return this.#budget?.lot;
  }

  /** Raises the hold to `amount`, or says what is too small and leaves it as it was. */
  async raiseTo(amount: NanoCredits): Promise<"held" | "balance" | "budget"> {
    const more = amount - this.#amount;
    if (more <= 0n) return "held";
    if (!(await this.#balance.hold(more))) return "balance";
    let isWithin = false;
    try {
      isWithin = this.#budget === undefined || (await this.#budget.purse.hold(more));
    } finally {
      if (!isWithin) this.#balance.release(more);
    }
    if (!isWithin) return "budget";
    this.#amount = amount;
    return "held";
  }

  /** The charge is written: what was not charged is free again. */
  capture(charged: NanoCredits): void {
    this.#end((purse) => purse.capture(this.#amount, charged));
  }

  /** Nothing is charged: all of it is free again. */
  release(): void {
    this.#end((purse) => purse.release(this.#amount));
  }

  /** Only the books know what was charged. Nothing is free again before they have been read. */
  async endByTheBooks(): Promise<void> {
    this.#endOnce();
    // Where the books can't be read now, the purse reads them before it is used again.
    await Promise.all(this.#purses.map((purse) => purse.resync().catch(() => undefined)));
    for (const purse of this.#purses) {
      purse.release(this.#amount);
      purse.close();
    }
  }

  get #purses(): readonly Purse[] {
    return this.#budget === undefined ? [this.#balance] : [this.#balance, this.#budget.purse];
  }

  #end(settle: (purse: Purse) => void): void {
    this.#endOnce();
    for (const purse of this.#purses) {
      settle(purse);
      purse.close();
    }
  }

  #endOnce(): void {
    if (this.#ended) throw new Error("A hold ended twice.");
    this.#ended = true;
  }
}
