import { startOfPeriod } from "@trunkline/core/budget-period.ts";
import type { Budget, Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { type AccountBudgetPool, type BudgetPool, balancePool } from "@trunkline/core/funds-pool.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import { LeasedFunds } from "./leased-funds.ts";
import type { LedgerStore } from "./ledger-store.ts";

interface Spendable {
  readonly balance: NanoCredits;
  /** undefined: the key has no budget of its own. */
  readonly budget: NanoCredits | undefined;
  /** undefined: the account has none. */
  readonly accountBudget?: NanoCredits | undefined;
}

/** Another instance needs funds: of an account's balance, of a key's budget, or of an account's. */
interface RecallRequest {
  readonly kind: "balance" | "budget" | "account-budget";
  readonly id: string;
  /** When both instances recall at once, the other one is served first. */
  readonly hasPriority: boolean;
}

/** Everything that this instance may spend of each account's balance and budget, and of each key's budget. */
export class AccountFunds {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #budgets: Budgets<BudgetPool>;
  readonly #accountBudgets: Budgets<AccountBudgetPool>;
  readonly #balances = new Map<string, LeasedFunds>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#budgets = new Budgets(ledger, clock, KEYS);
    this.#accountBudgets = new Budgets(ledger, clock, ACCOUNTS);
  }

  /**
   * What the caller could spend on one request. Exact below `least`; between that and `enough` at most a second old.
   * Returns a promise only where the ledger must be called.
   */
  spendable(caller: Caller, at: number, least: NanoCredits, enough: NanoCredits): Spendable | Promise<Spendable> {
    const ofKey = this.#spendableOfKey(caller, at, least, enough);
    if (caller.accountBudget === undefined) return ofKey;
    const opened = this.#accountBudgets.open(caller, at);
    const ofAccount =
      opened instanceof Promise
        ? opened.then(({ funds }) => funds.spendable(least, enough))
        : opened?.funds.spendable(least, enough);
    if (ofKey instanceof Promise || ofAccount instanceof Promise)
      return Promise.all([ofKey, ofAccount]).then(([spendable, accountBudget]) => ({ ...spendable, accountBudget }));
    return { balance: ofKey.balance, budget: ofKey.budget, accountBudget: ofAccount };
  }

  #spendableOfKey(caller: Caller, at: number, least: NanoCredits, enough: NanoCredits): Spendable | Promise<Spendable> {
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
    const accountBudget = this.#accountBudgets.open(caller, at);
    if (budget instanceof Promise || accountBudget instanceof Promise)
      return Promise.all([budget, accountBudget]).then(
        ([ofKey, ofAccount]) => new Hold(this.#balanceOf(caller.accountId), ofKey, ofAccount),
      );
    return new Hold(this.#balanceOf(caller.accountId), budget, accountBudget);
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
    if (kind === "balance") return this.#balances.get(id)?.releaseSpare(hasPriority);
    const budgets = kind === "budget" ? this.#budgets : this.#accountBudgets;
    await Promise.all(budgets.fundsOf(id).map((leasedFunds) => leasedFunds.releaseSpare(hasPriority)));
  }

  /** Gives back leases that no request has used for a while. */
  async returnIdleLeases(): Promise<void> {
    await Promise.all(this.#allFunds().map((leasedFunds) => leasedFunds.returnIfIdle()));
    for (const [accountId, leasedFunds] of this.#balances) if (leasedFunds.canEvict) this.#balances.delete(accountId);
    this.#budgets.evictUnused();
    this.#accountBudgets.evictUnused();
  }

  #allFunds(): readonly LeasedFunds[] {
    return [...this.#balances.values(), ...this.#budgets.all(), ...this.#accountBudgets.all()];
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

/** Money set aside for one request, from the account's balance and the budgets of its key and its account together. */
export class Hold {
  readonly #balance: LeasedFunds;
  readonly #budget: OpenBudget<BudgetPool> | undefined;
  readonly #accountBudget: OpenBudget<AccountBudgetPool> | undefined;
  #amount: NanoCredits = 0n;
  #ended = false;

  constructor(
    balance: LeasedFunds,
    budget: OpenBudget<BudgetPool> | undefined,
    accountBudget: OpenBudget<AccountBudgetPool> | undefined,
  ) {
    this.#balance = balance;
    this.#budget = budget;
    this.#accountBudget = accountBudget;
    balance.open();
    budget?.funds.open();
    accountBudget?.funds.open();
  }

  get amount(): NanoCredits {
    return this.#amount;
  }

  /** The key's budget that is charged together with the balance. */
  get budget(): BudgetPool | undefined {
    return this.#budget?.pool;
  }

  /** The account's budget that is charged together with the balance. */
  get accountBudget(): AccountBudgetPool | undefined {
    return this.#accountBudget?.pool;
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

  /** The second part: the balance already holds `more`. */
  #raiseBudget(amount: NanoCredits, more: NanoCredits): HoldOutcome | Promise<HoldOutcome> {
    const isHeld = this.#budget === undefined || this.#budget.funds.hold(more);
    if (isHeld instanceof Promise) {
      return isHeld.then(
        (held) => (held ? this.#raiseAccountBudget(amount, more) : this.#undoRaise(more, false, "budget")),
        (error: unknown) => {
          this.#undoRaise(more, false, "budget");
          throw error;
        },
      );
    }
    return isHeld ? this.#raiseAccountBudget(amount, more) : this.#undoRaise(more, false, "budget");
  }

  /** The third part: the balance and the key's budget already hold `more`. */
  #raiseAccountBudget(amount: NanoCredits, more: NanoCredits): HoldOutcome | Promise<HoldOutcome> {
    const isHeld = this.#accountBudget === undefined || this.#accountBudget.funds.hold(more);
    if (isHeld instanceof Promise) {
      return isHeld.then(
        (held) => this.#endRaise(amount, more, held),
        (error: unknown) => {
          this.#undoRaise(more, true, "account-budget");
          throw error;
        },
      );
    }
    return this.#endRaise(amount, more, isHeld);
  }

  #endRaise(amount: NanoCredits, more: NanoCredits, isWithinBudgets: boolean): HoldOutcome {
    if (!isWithinBudgets) return this.#undoRaise(more, true, "account-budget");
    this.#amount = amount;
    return "held";
  }

  #undoRaise(more: NanoCredits, budgetHolds: boolean, outcome: HoldOutcome): HoldOutcome {
    this.#balance.release(more);
    if (budgetHolds) this.#budget?.funds.release(more);
    return outcome;
  }

  /** Ends the hold after the charge is written. The rest becomes free. */
  capture(charged: NanoCredits): void {
    this.#endOnce();
    this.#balance.capture(this.#amount, charged);
    this.#balance.close();
    this.#budget?.funds.capture(this.#amount, charged);
    this.#budget?.funds.close();
    this.#accountBudget?.funds.capture(this.#amount, charged);
    this.#accountBudget?.funds.close();
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
    const sources = [this.#balance];
    if (this.#budget !== undefined) sources.push(this.#budget.funds);
    if (this.#accountBudget !== undefined) sources.push(this.#accountBudget.funds);
    await Promise.all(sources.map((leasedFunds) => leasedFunds.resync().catch(() => undefined)));
    this.#releaseAll();
  }

  #releaseAll(): void {
    this.#balance.release(this.#amount);
    this.#balance.close();
    this.#budget?.funds.release(this.#amount);
    this.#budget?.funds.close();
    this.#accountBudget?.funds.release(this.#amount);
    this.#accountBudget?.funds.close();
  }

  #endOnce(): void {
    if (this.#ended) throw new Error("A hold ended twice.");
    this.#ended = true;
  }
}

/** Whether the money is held, or which source is too small. */
type HoldOutcome = "held" | "balance" | "budget" | "account-budget";

/** A budget for one period, and this instance's lease of it. */
interface OpenBudget<Pool> {
  readonly pool: Pool;
  readonly funds: LeasedFunds;
}

/** Whose budgets these are. */
interface BudgetOwner<Pool> {
  idOf(caller: Caller): string;
  /** undefined: it has none. */
  budgetOf(caller: Caller): Budget | undefined;
  poolOf(caller: Caller, budget: Budget, startsAt: number | undefined): Pool;
}

export const KEYS: BudgetOwner<BudgetPool> = {
  idOf: ({ keyId }) => keyId,
  budgetOf: ({ budget }) => budget,
  poolOf: ({ keyId, accountId }, { period, limit }, startsAt) => ({
    kind: "budget",
    keyId,
    accountId,
    period,
    startsAt,
    limit,
  }),
};

export const ACCOUNTS: BudgetOwner<AccountBudgetPool> = {
  idOf: ({ accountId }) => accountId,
  budgetOf: ({ accountBudget }) => accountBudget,
  poolOf: ({ accountId }, { period, limit }, startsAt) => ({
    kind: "account-budget",
    accountId,
    period,
    startsAt,
    limit,
  }),
};

/** The budgets of keys or of accounts, with one `LeasedFunds` for each of them and each period. */
export class Budgets<Pool extends BudgetPool | AccountBudgetPool> {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #owner: BudgetOwner<Pool>;
  readonly #entries = new Map<string, OpenBudget<Pool> & { readonly ownerId: string }>();

  constructor(ledger: LedgerStore, clock: Clock, owner: BudgetOwner<Pool>) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * The budget that pays a request which arrived at this time; undefined where there is none. Usage is summed by
   * arrival too, so a request belongs to one day even if it ends in the next. Returns a promise only where the budget's
   * limit was changed.
   */
  open(caller: Caller, at: number): OpenBudget<Pool> | undefined | Promise<OpenBudget<Pool>> {
    const budget = this.#owner.budgetOf(caller);
    if (budget === undefined) return undefined;
    const ownerId = this.#owner.idOf(caller);
    const startsAt = startOfPeriod(budget.period, at, caller.timeZone);
    const name = `${ownerId} ${budget.period} ${startsAt}`;
    const known = this.#entries.get(name);
    if (known !== undefined && known.pool.limit === budget.limit) return known;
    const pool = this.#owner.poolOf(caller, budget, startsAt);
    if (known !== undefined) return this.#changeTerms(name, { ...known, pool });
    // Nothing is awaited before a new entry is set: two LeasedFunds over one lease would both spend it.
    const entry = { ownerId, pool, funds: new LeasedFunds(pool, this.#ledger, this.#clock) };
    this.#entries.set(name, entry);
    return entry;
  }

  async #changeTerms(name: string, entry: OpenBudget<Pool> & { readonly ownerId: string }): Promise<OpenBudget<Pool>> {
    await entry.funds.changePool(entry.pool);
    this.#entries.set(name, entry);
    return entry;
  }

  /** The funds of one key or account, of every period in use. */
  fundsOf(ownerId: string): readonly LeasedFunds[] {
    return [...this.#entries.values()].filter((entry) => entry.ownerId === ownerId).map(({ funds }) => funds);
  }

  all(): readonly LeasedFunds[] {
    return [...this.#entries.values()].map(({ funds }) => funds);
  }

  /** Drops the entries of ended periods and of those that are not used. */
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
