import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { type AccountBudgetPool, type BudgetPool, balancePool } from "@trunkline/core/funds-pool.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import { ACCOUNTS, Budgets, KEYS, type OpenBudget } from "./budgets.ts";
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
    const opened = balance instanceof Promise ? undefined : this.#budgets.open(caller, at);
    if (balance instanceof Promise || opened instanceof Promise)
      return this.#spendableLater(caller, at, least, enough, balance, opened);
    const budget = opened?.funds.spendable(least, enough);
    return budget instanceof Promise ? withBudget(balance, budget) : { balance, budget };
  }

  /** `opening`: the key's budget where its terms changed; else it is read once the balance is known. */
  async #spendableLater(
    caller: Caller,
    at: number,
    least: NanoCredits,
    enough: NanoCredits,
    balance: NanoCredits | Promise<NanoCredits>,
    opening: ReturnType<Budgets<BudgetPool>["open"]>,
  ): Promise<Spendable> {
    const ofBalance = await balance;
    const opened = await (opening ?? this.#budgets.open(caller, at));
    return { balance: ofBalance, budget: await opened?.funds.spendable(least, enough) };
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
    return budget instanceof Promise || accountBudget instanceof Promise
      ? this.#openHoldLater(caller, budget, accountBudget)
      : new Hold(this.#balanceOf(caller.accountId), budget, accountBudget);
  }

  async #openHoldLater(
    caller: Caller,
    budget: ReturnType<Budgets<BudgetPool>["open"]>,
    accountBudget: ReturnType<Budgets<AccountBudgetPool>["open"]>,
  ): Promise<Hold> {
    const [ofKey, ofAccount] = await Promise.all([budget, accountBudget]);
    return new Hold(this.#balanceOf(caller.accountId), ofKey, ofAccount);
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

async function withBudget(balance: NanoCredits, budget: Promise<NanoCredits>): Promise<Spendable> {
  return { balance, budget: await budget };
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
    if (isHeld instanceof Promise) return this.#raiseLater(amount, more, isHeld);
    return isHeld ? this.#raiseBudget(amount, more) : "balance";
  }

  // What waits for the ledger is apart: V8 sets up a scope for the functions of a method even where it makes none of them.

  #raiseLater(amount: NanoCredits, more: NanoCredits, holding: Promise<boolean>): Promise<HoldOutcome> {
    return holding.then((held) => (held ? this.#raiseBudget(amount, more) : "balance"));
  }

  /** The second part: the balance already holds `more`. */
  #raiseBudget(amount: NanoCredits, more: NanoCredits): HoldOutcome | Promise<HoldOutcome> {
    const isHeld = this.#budget === undefined || this.#budget.funds.hold(more);
    if (isHeld instanceof Promise) return this.#raiseBudgetLater(amount, more, isHeld);
    return isHeld ? this.#raiseAccountBudget(amount, more) : this.#undoRaise(more, false, "budget");
  }

  #raiseBudgetLater(amount: NanoCredits, more: NanoCredits, holding: Promise<boolean>): Promise<HoldOutcome> {
    return holding.then(
      (held) => (held ? this.#raiseAccountBudget(amount, more) : this.#undoRaise(more, false, "budget")),
      (error: unknown) => {
        this.#undoRaise(more, false, "budget");
        throw error;
      },
    );
  }

  /** The third part: the balance and the key's budget already hold `more`. */
  #raiseAccountBudget(amount: NanoCredits, more: NanoCredits): HoldOutcome | Promise<HoldOutcome> {
    const isHeld = this.#accountBudget === undefined || this.#accountBudget.funds.hold(more);
    return isHeld instanceof Promise ? this.#endRaiseLater(amount, more, isHeld) : this.#endRaise(amount, more, isHeld);
  }

  #endRaiseLater(amount: NanoCredits, more: NanoCredits, holding: Promise<boolean>): Promise<HoldOutcome> {
    return holding.then(
      (held) => this.#endRaise(amount, more, held),
      (error: unknown) => {
        this.#undoRaise(more, true, "account-budget");
        throw error;
      },
    );
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
