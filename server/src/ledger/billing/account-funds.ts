import { startOfPeriod } from "@trunkline/core/budget-period.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { type BudgetPool, balancePool } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { LeasedFunds } from "./leased-funds.ts";
import type { LedgerStore } from "./ledger-store.ts";

interface Spendable {
  readonly balance: NanoCredits;
  /** undefined: the key has no budget of its own. */
  readonly budget: NanoCredits | undefined;
}

/** What another instance lacks: an account's balance, or a key's budget. */
interface RecallRequest {
  readonly kind: "balance" | "budget";
  readonly id: string;
  /** Both may be searching: the other one is to be served first. */
  readonly hasPriority: boolean;
}

/** Everything this instance may spend: of each account's balance and of each key's budget. */
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

  /** What the caller could spend on one request. Exact where it is below `least`, and never much off below `enough`. */
  async spendable(caller: Caller, at: number, least: NanoCredits, enough: NanoCredits): Promise<Spendable> {
    const balance = await this.#balanceOf(caller.accountId).spendable(least, enough);
    const budget = await this.#budgets.open(caller, at);
    return { balance, budget: await budget?.funds.spendable(least, enough) };
  }

  /** What requests now running have set aside. */
  heldOf(accountId: string): NanoCredits {
    return this.#balances.get(accountId)?.held ?? 0n;
  }

  /** An empty hold: raise it to set money aside, and end it exactly once. */
  async openHold(caller: Caller, at: number): Promise<Hold> {
    const budget = await this.#budgets.open(caller, at);
    return new Hold(this.#balanceOf(caller.accountId), budget);
  }

  /** After trouble with the store: every slice as the books have it. */
  async resync(): Promise<void> {
    await Promise.all(this.#allFunds().map((leasedFunds) => leasedFunds.resync()));
  }

  /** Waits until no question to the books is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#allFunds().map((leasedFunds) => leasedFunds.idle()));
  }

  /** Another instance lacks what this one may have to spare. */
  async onRecall({ kind, id, hasPriority: goesFirst }: RecallRequest): Promise<void> {
    if (kind === "balance") await this.#balances.get(id)?.releaseSpare(goesFirst);
    else await Promise.all(this.#budgets.fundsOf(id).map((leasedFunds) => leasedFunds.releaseSpare(goesFirst)));
  }

  /** Gives back what nobody has used for a while. */
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

/** Money set aside for one request, from the account's balance and from the key's budget at once. */
export class Hold {
  readonly #balance: LeasedFunds;
  readonly #budget: OpenBudget | undefined;
  #amount: NanoCredits = 0n;
  #ended = false;

  constructor(balance: LeasedFunds, budget: OpenBudget | undefined) {
    this.#balance = balance;
    this.#budget = budget;
    for (const leasedFunds of this.#sources) leasedFunds.open();
  }

  get amount(): NanoCredits {
    return this.#amount;
  }

  /** The key's budget that is charged beside the balance. */
  get budget(): BudgetPool | undefined {
    return this.#budget?.pool;
  }

  /** Raises the hold to `amount`, or says what is too small and leaves it as it was. */
  async raiseTo(amount: NanoCredits): Promise<"held" | "balance" | "budget"> {
    const more = amount - this.#amount;
    if (more <= 0n) return "held";
    if (!(await this.#balance.hold(more))) return "balance";
    let isWithin = false;
    try {
      isWithin = this.#budget === undefined || (await this.#budget.funds.hold(more));
    } finally {
      if (!isWithin) this.#balance.release(more);
    }
    if (!isWithin) return "budget";
    this.#amount = amount;
    return "held";
  }

  /** The charge is written: what was not charged is free again. */
  capture(charged: NanoCredits): void {
    this.#end((leasedFunds) => leasedFunds.capture(this.#amount, charged));
  }

  /** Nothing is charged: all of it is free again. */
  release(): void {
    this.#end((leasedFunds) => leasedFunds.release(this.#amount));
  }

  /** Only the books know what was charged. Nothing is free again before they have been read. */
  async settleFromLedger(): Promise<void> {
    this.#endOnce();
    // Where the books can't be read now, the purse reads them before it is used again.
    await Promise.all(this.#sources.map((leasedFunds) => leasedFunds.resync().catch(() => undefined)));
    for (const leasedFunds of this.#sources) {
      leasedFunds.release(this.#amount);
      leasedFunds.close();
    }
  }

  get #sources(): readonly LeasedFunds[] {
    return this.#budget === undefined ? [this.#balance] : [this.#balance, this.#budget.funds];
  }

  #end(settle: (leasedFunds: LeasedFunds) => void): void {
    this.#endOnce();
    for (const leasedFunds of this.#sources) {
      settle(leasedFunds);
      leasedFunds.close();
    }
  }

  #endOnce(): void {
    if (this.#ended) throw new Error("A hold ended twice.");
    this.#ended = true;
  }
}

/** What a key may spend in one period, and this instance's slice of it. */
interface OpenBudget {
  readonly pool: BudgetPool;
  readonly funds: LeasedFunds;
}

/** The budgets of keys, one purse for each key and period. */
export class KeyBudgets {
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  readonly #entries = new Map<string, OpenBudget>();

  constructor(ledger: LedgerStore, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /**
   * The budget that a request of this moment is paid from; undefined where the key has none. The moment is the
   * request's arrival, by which usage is summed too: a request belongs to one day, even if it ends in the next.
   */
  async open(caller: Caller, at: number): Promise<OpenBudget | undefined> {
    if (caller.budget === undefined) return undefined;
    const { keyId, budget } = caller;
    const { period, limit } = budget;
    const startsAt = startOfPeriod(period, at, caller.timeZone);
    const name = `${keyId} ${period} ${startsAt}`;
    const known = this.#entries.get(name);
    if (known !== undefined && known.pool.limit === limit) return known;
    const pool: BudgetPool = { kind: "budget", keyId, period, startsAt, limit };
    // Nothing is awaited before a new one is entered: two purses over one slice would both spend it.
    const entry = { pool, funds: known?.funds ?? new LeasedFunds(pool, this.#ledger, this.#clock) };
    if (known !== undefined) await known.funds.changePool(pool);
    this.#entries.set(name, entry);
    return entry;
  }

  /** The purses of one key, of every period that is in use. */
  fundsOf(keyId: string): readonly LeasedFunds[] {
    return [...this.#entries.values()]
      .filter(({ pool: lot }) => lot.keyId === keyId)
      .map(({ funds: leasedFunds }) => leasedFunds);
  }

  all(): readonly LeasedFunds[] {
    return [...this.#entries.values()].map(({ funds: leasedFunds }) => leasedFunds);
  }

  /** Periods end and keys fall silent: what holds nothing is forgotten. */
  evictUnused(): void {
    for (const [name, { funds: leasedFunds }] of this.#entries) if (leasedFunds.canEvict) this.#entries.delete(name);
  }
}

/** Says it plainly where a request was refused because the account has nothing left at all; any other trouble stays as it is. */
export async function explainInsufficientFunds(
  ledger: Pick<LedgerStore, "readPool">,
  accountId: string,
  trouble: unknown,
): Promise<never> {
  if (!(trouble instanceof Fault) || trouble.type !== "insufficient_balance") throw trouble;
  // What is free now says too little: all of it may be set aside for requests that run.
  const { total } = await ledger.readPool(balancePool(accountId));
  if (total > 0n) throw trouble;
  throw new Fault(
    "insufficient_balance",
    "The account has no credits left: requests that cost anything are suspended until credits are added.",
    trouble.details,
    { cause: trouble },
  );
}
