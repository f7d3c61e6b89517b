import { startOfPeriod } from "@trunkline/core/budget-period.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { type BudgetPool, balancePool } from "@trunkline/core/funds-pool.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import { LeasedFunds } from "./leased-funds.ts";
import type { LedgerStore } from "./ledger-store.ts";

interface Spendable {
  readonly balance: NanoCredits;
  /** undefined: the key has no budget of its own. */
  readonly budget: NanoCredits | undefined;
}

/** Another instance needs funds: of an account's balance, or of a key's budget. */
interface RecallRequest {
  readonly kind: "balance" | "budget";
  readonly id: string;
  /** When both instances recall at once, the other one is served first. */
  readonly hasPriority: boolean;
}

/** Everything that this instance may spend of each account's balance and each key's budget. */
export class AccountFunds {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #budgets: KeyBudgets;
  readonly #balances = new Map<string, LeasedFunds>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#budgets = new KeyBudgets(ledger, clock);
  }

  /**
   * What the caller could spend on one request. Exact below `least`; between that and `enough` at most a second old.
   * Returns a promise only where the ledger must be called.
   */
  spendable(caller: Caller, at: number, least: NanoCredits, enough: NanoCredits): Spendable | Promise<Spendable> {
    const balance = this.#balanceOf(caller.accountId).spendable(least, enough);
    if (balance instanceof Promise) {
      return balance.then(async (ofBalance) => {
        const opened = await this.#budgets.open(caller, at);
        return { balance: ofBalance, budget: await opened?.funds.spendable(least, enough) };
      });
    }
    const opened = this.#budgets.open(caller, at);
    if (opened instanceof Promise)
      return opened.then(async ({ funds }) => ({ balance, budget: await funds.spendable(least, enough) }));
    const budget = opened?.funds.spendable(least, enough);
    if (budget instanceof Promise) return budget.then((ofBudget) => ({ balance, budget: ofBudget }));
    return { balance, budget };
  }

  /** What this instance has leased of all balances, and what running requests hold of that. */
  totals(): { readonly leased: NanoCredits; readonly held: NanoCredits } {
    let leased = 0n;
    let held = 0n;
    for (const funds of this.#balances.values()) {
      leased += funds.leased;
      held += funds.held;
    }
    return { leased, held };
  }

  /** The holds of running requests on this instance. */
  heldOf(accountId: string): NanoCredits {
    return this.#balances.get(accountId)?.held ?? 0n;
  }

  /** An empty hold. Raise it to set money aside, and end it exactly once. Returns a promise only where a budget's terms changed. */
  openHold(caller: Caller, at: number): Hold | Promise<Hold> {
    const budget = this.#budgets.open(caller, at);
    if (budget instanceof Promise) return budget.then((opened) => new Hold(this.#balanceOf(caller.accountId), opened));
    return new Hold(this.#balanceOf(caller.accountId), budget);
  }

  /** After an outage of the store: reads every lease from the ledger again. */
  async resync(): Promise<void> {
    await Promise.all(this.#allFunds().map((leasedFunds) => leasedFunds.resync()));
  }

  /** Waits until no call to the ledger is running. */
  async idle(): Promise<void> {
    await Promise.all(this.#allFunds().map((leasedFunds) => leasedFunds.idle()));
  }

  /** Gives back spare funds that another instance needs. */
  async onRecall({ kind, id, hasPriority }: RecallRequest): Promise<void> {
    if (kind === "balance") await this.#balances.get(id)?.releaseSpare(hasPriority);
    else await Promise.all(this.#budgets.fundsOf(id).map((leasedFunds) => leasedFunds.releaseSpare(hasPriority)));
  }

  /** Gives back leases that no request has used for a while. */
  async returnIdleLeases(): Promise<void> {
    await Promise.all(this.#allFunds().map((leasedFunds) => leasedFunds.returnIfIdle()));
    for (const [accountId, leasedFunds] of this.#balances) if (leasedFunds.canEvict) this.#balances.delete(accountId);
    this.#budgets.evictUnused();
  }

  #allFunds(): readonly LeasedFunds[] {
    return [...this.#balances.values(), ...this.#budgets.all()];
  }

  #balanceOf(accountId: string): LeasedFunds {
    let leasedFunds = this.#balances.get(accountId);
    if (leasedFunds === undefined) {
      leasedFunds = new LeasedFunds(balancePool(accountId), this.#ledger, this.#clock);
      this.#balances.set(accountId, leasedFunds);
    }
    return leasedFunds;
  }
}

/** Money set aside for one request, from the account's balance and the key's budget together. */
export class Hold {
  readonly #balance: LeasedFunds;
  readonly #budget: OpenBudget | undefined;
  #amount: NanoCredits = 0n;
  #ended = false;

  constructor(balance: LeasedFunds, budget: OpenBudget | undefined) {
    this.#balance = balance;
    this.#budget = budget;
    balance.open();
    budget?.funds.open();
  }

  get amount(): NanoCredits {
    return this.#amount;
  }

  /** The key's budget that is charged together with the balance. */
  get budget(): BudgetPool | undefined {
    return this.#budget?.pool;
  }

  /**
   * Raises the hold to `amount`, or returns which source is too small and leaves the hold unchanged. Returns a promise
   * only where the ledger must be called.
   */
  raiseTo(amount: NanoCredits): HoldOutcome | Promise<HoldOutcome> {
    if (amount <= this.#amount) return "held";
    const more = amount - this.#amount;
    const isHeld = this.#balance.hold(more);
    if (isHeld instanceof Promise) return isHeld.then((held) => (held ? this.#raiseBudget(amount, more) : "balance"));
    return isHeld ? this.#raiseBudget(amount, more) : "balance";
  }

  /** The second half: the balance already holds `more`. */
  #raiseBudget(amount: NanoCredits, more: NanoCredits): HoldOutcome | Promise<HoldOutcome> {
    const isHeld = this.#budget === undefined || this.#budget.funds.hold(more);
    if (isHeld instanceof Promise) {
      return isHeld.then(
        (held) => this.#endRaise(amount, more, held),
        (error: unknown) => {
          this.#balance.release(more);
          throw error;
        },
      );
    }
    return this.#endRaise(amount, more, isHeld);
  }

  #endRaise(amount: NanoCredits, more: NanoCredits, isWithinBudget: boolean): HoldOutcome {
    if (isWithinBudget) this.#amount = amount;
    else this.#balance.release(more);
    return isWithinBudget ? "held" : "budget";
  }

  /** Ends the hold after the charge is written. The rest becomes free. */
  capture(charged: NanoCredits): void {
    this.#endOnce();
    this.#balance.capture(this.#amount, charged);
    this.#balance.close();
    if (this.#budget === undefined) return;
    this.#budget.funds.capture(this.#amount, charged);
    this.#budget.funds.close();
  }

  /** Ends the hold without a charge. All of it becomes free. */
  release(): void {
    this.#endOnce();
    this.#releaseAll();
  }

  /** Ends the hold when only the ledger knows what was charged. Nothing becomes free before the ledger was read. */
  async settleFromLedger(): Promise<void> {
    this.#endOnce();
    // When the ledger can't be read now, LeasedFunds reads it before its next use.
    const sources = this.#budget === undefined ? [this.#balance] : [this.#balance, this.#budget.funds];
    await Promise.all(sources.map((leasedFunds) => leasedFunds.resync().catch(() => undefined)));
    this.#releaseAll();
  }

  #releaseAll(): void {
    this.#balance.release(this.#amount);
    this.#balance.close();
    if (this.#budget === undefined) return;
    this.#budget.funds.release(this.#amount);
    this.#budget.funds.close();
  }

  #endOnce(): void {
    if (this.#ended) throw new Error("A hold ended twice.");
    this.#ended = true;
  }
}

/** Whether the money is held, or which source is too small. */
type HoldOutcome = "held" | "balance" | "budget";

/** A key's budget for one period, and this instance's lease of it. */
interface OpenBudget {
  readonly pool: BudgetPool;
  readonly funds: LeasedFunds;
}

/** The budgets of keys, with one `LeasedFunds` for each key and period. */
export class KeyBudgets {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #entries = new Map<string, OpenBudget>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /**
   * The budget that pays a request which arrived at this time; undefined where the key has none. Usage is summed by
   * arrival too, so a request belongs to one day even if it ends in the next. Returns a promise only where the budget's
   * limit was changed.
   */
  open(caller: Caller, at: number): OpenBudget | undefined | Promise<OpenBudget> {
    if (caller.budget === undefined) return undefined;
    const { keyId, budget } = caller;
    const { period, limit } = budget;
    const startsAt = startOfPeriod(period, at, caller.timeZone);
    const name = `${keyId} ${period} ${startsAt}`;
    const known = this.#entries.get(name);
    if (known !== undefined && known.pool.limit === limit) return known;
    const pool: BudgetPool = { kind: "budget", keyId, period, startsAt, limit };
    if (known !== undefined) return this.#changeTerms(name, known.funds, pool);
    // Nothing is awaited before a new entry is set: two LeasedFunds over one lease would both spend it.
    const entry = { pool, funds: new LeasedFunds(pool, this.#ledger, this.#clock) };
    this.#entries.set(name, entry);
    return entry;
  }

  async #changeTerms(name: string, funds: LeasedFunds, pool: BudgetPool): Promise<OpenBudget> {
    const entry = { pool, funds };
    await funds.changePool(pool);
    this.#entries.set(name, entry);
    return entry;
  }

  /** The funds of one key, of every period in use. */
  fundsOf(keyId: string): readonly LeasedFunds[] {
    return [...this.#entries.values()].filter(({ pool }) => pool.keyId === keyId).map(({ funds }) => funds);
  }

  all(): readonly LeasedFunds[] {
    return [...this.#entries.values()].map(({ funds }) => funds);
  }

  /** Drops the entries of ended periods and unused keys. */
  evictUnused(): void {
    for (const [name, { funds }] of this.#entries) if (funds.canEvict) this.#entries.delete(name);
  }
}

/** Rethrows an error, with a clearer message where the account owes credits or has none left at all. */
export async function explainInsufficientFunds(
  ledger: Pick<LedgerStore, "readPool" | "readDebt">,
  accountId: string,
  error: unknown,
): Promise<never> {
  if (!(error instanceof Fault) || error.type !== "insufficient_balance") throw error;
  const debt = await ledger.readDebt(accountId);
  if (debt > 0n) {
    throw new Fault(
      "insufficient_balance",
      `The account owes ${formatCredits(debt)} after a refund or a disputed payment: requests that cost anything are suspended until credits are added that cover it.`,
      error.details,
      { cause: error },
    );
  }
  // The total decides, not the free amount: running requests may hold all of it.
  const { total } = await ledger.readPool(balancePool(accountId));
  if (total > 0n) throw error;
  throw new Fault(
    "insufficient_balance",
    "The account has no credits left: requests that cost anything are suspended until credits are added.",
    error.details,
    { cause: error },
  );
}
