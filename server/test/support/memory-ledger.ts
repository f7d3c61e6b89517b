import type { AccountBudgetPool, BudgetPool, FundsPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { LedgerStore, WriteOutcome } from "../../src/ledger/billing/ledger-store.ts";
import type { Settlement } from "../../src/ledger/billing/settlement.ts";

/** Called before the ledger is asked and before its answer is returned, so that a test can hold either up or make it fail. */
export type Passage = (
  method: "look" | "extend" | "giveBack" | "recall" | "write",
  when: "asking" | "answering",
) => Promise<void> | void;

/** What all instances share. */
class LedgerState {
  readonly balances = new Map<string, bigint>();
  /** By funds pool and instance. */
  readonly leases = new Map<string, { readonly pool: FundsPool; readonly amount: bigint }>();
  readonly written = new Map<string, Settlement>();
  readonly listeners = new Map<string, (fundsPool: FundsPool, by: string) => void>();

  leasedBy(instance: string, fundsPool: FundsPool): bigint {
    return this.leases.get(`${nameOf(fundsPool)} ${instance}`)?.amount ?? 0n;
  }

  leasedByAll(fundsPool: FundsPool): bigint {
    return [...this.leases.values()].reduce(
      (sum, lease) => (reachesInto(lease.pool, fundsPool) ? sum + lease.amount : sum),
      0n,
    );
  }

  addLease(instance: string, fundsPool: FundsPool, amount: bigint): void {
    const leased = this.leasedBy(instance, fundsPool) + amount;
    if (leased < 0n) throw new Error(`The lease of ${nameOf(fundsPool)} would fall below zero.`);
    this.leases.set(`${nameOf(fundsPool)} ${instance}`, { pool: fundsPool, amount: leased });
  }

  totalOf(fundsPool: FundsPool): bigint {
    if (fundsPool.kind !== "balance") return fundsPool.limit - this.spentOf(fundsPool);
    return (this.balances.get(fundsPool.accountId) ?? 0n) + this.leasedByAll(fundsPool);
  }

  spentOf(pool: BudgetPool | AccountBudgetPool): bigint {
    const { startsAt } = pool;
    return [...this.written.values()]
      .filter((one) => (pool.kind === "budget" ? one.keyId === pool.keyId : one.accountId === pool.accountId))
      .filter((one) => startsAt === undefined || one.createdAt.getTime() >= startsAt)
      .reduce((sum, settlement) => sum + settlement.cost, 0n);
  }
}

/** The ledger's promises kept in memory. A lease never falls below zero: such a batch fails whole. */
export class MemoryLedger implements LedgerStore {
  readonly #state: LedgerState;
  readonly #passage: Passage;
  readonly #instance: string;
  /** Every batch that was handed in, by its requests' ids. */
  readonly batches: string[][] = [];

  constructor(
    balances: Readonly<Record<string, bigint>>,
    passage: Passage = () => undefined,
    instance = "one",
    state = new LedgerState(),
  ) {
    this.#state = state;
    this.#passage = passage;
    this.#instance = instance;
    for (const [accountId, balance] of Object.entries(balances)) state.balances.set(accountId, balance);
  }

  /** The same ledger as another instance sees it. */
  seenBy(instance: string): MemoryLedger {
    return new MemoryLedger({}, this.#passage, instance, this.#state);
  }

  /** Calls when another instance asks for what this one can spare. */
  onRecall(onRecall: (fundsPool: FundsPool, by: string) => void): void {
    this.#state.listeners.set(this.#instance, onRecall);
  }

  get written(): ReadonlyMap<string, Settlement> {
    return this.#state.written;
  }

  booksOf(accountId: string): { unleased: bigint; leased: bigint } {
    return {
      unleased: this.#state.balances.get(accountId) ?? 0n,
      leased: this.#state.leasedByAll({ kind: "balance", accountId }),
    };
  }

  topUp(accountId: string, amount: bigint): void {
    this.#state.balances.set(accountId, (this.#state.balances.get(accountId) ?? 0n) + amount);
  }

  /** What all requests written so far have cost. */
  get charged(): bigint {
    return [...this.written.values()].reduce((sum, settlement) => sum + settlement.cost, 0n);
  }

  readPool(fundsPool: FundsPool): Promise<FundsPoolState> {
    return this.#visit("look", () => this.#see(fundsPool));
  }

  extendLease(fundsPool: FundsPool, need: bigint): Promise<bigint> {
    return this.#visit("extend", () => {
      if (need <= 0n) throw new Error("Nothing is no amount to lease.");
      const { unleased } = this.#see(fundsPool);
      if (unleased < need) return 0n;
      const eighth = unleased / 8n;
      const slice = eighth > need ? eighth : need;
      if (fundsPool.kind === "balance") this.topUp(fundsPool.accountId, -slice);
      this.#state.addLease(this.#instance, fundsPool, slice);
      return slice;
    });
  }

  /** What was given back, by request. */
  readonly givenBack = new Map<string, bigint>();

  async giveBackCharge({ requestId, accountId }: Pick<Settlement, "requestId" | "accountId">): Promise<void> {
    const cost = this.written.get(requestId)?.cost ?? 0n;
    if (cost === 0n || this.givenBack.has(requestId)) return;
    this.givenBack.set(requestId, cost);
    this.topUp(accountId, cost);
  }

  returnLease(fundsPool: FundsPool, amount: bigint): Promise<void> {
    return this.#visit("giveBack", () => {
      this.#state.addLease(this.#instance, fundsPool, -amount);
      if (fundsPool.kind === "balance") this.topUp(fundsPool.accountId, amount);
    });
  }

  async readDebt(): Promise<bigint> {
    return 0n;
  }

  recall(fundsPool: FundsPool): Promise<void> {
    return this.#visit("recall", () => {
      for (const [instance, onRecall] of this.#state.listeners)
        if (instance !== this.#instance) onRecall(fundsPool, this.#instance);
    });
  }

  write(batch: readonly Settlement[]): Promise<WriteOutcome> {
    return this.#visit("write", () => {
      this.batches.push(batch.map((settlement) => settlement.requestId));
      const fresh = batch.filter((settlement) => !this.written.has(settlement.requestId));
      const before = new Map(this.#state.leases);
      try {
        for (const { accountId, budget, accountBudget, held, cost } of fresh) {
          if (cost > held) throw new Error("More was charged than held.");
          this.#state.addLease(this.#instance, { kind: "balance", accountId }, -cost);
          if (budget !== undefined) this.#state.addLease(this.#instance, budget, -cost);
          if (accountBudget !== undefined) this.#state.addLease(this.#instance, accountBudget, -cost);
        }
      } catch (error) {
        for (const [name, lease] of before) this.#state.leases.set(name, lease);
        throw error;
      }
      for (const settlement of fresh) this.#state.written.set(settlement.requestId, settlement);
      return { lost: new Set(), leasesChanged: false };
    });
  }

  #see(fundsPool: FundsPool): FundsPoolState {
    const total = this.#state.totalOf(fundsPool);
    return {
      total,
      unleased: total - this.#state.leasedByAll(fundsPool),
      mine: this.#state.leasedBy(this.#instance, fundsPool),
    };
  }

  async #visit<Result>(method: Parameters<Passage>[0], act: () => Result): Promise<Result> {
    await this.#passage(method, "asking");
    const result = act();
    await this.#passage(method, "answering");
    return result;
  }
}

/** Whether what is leased of one pool may be spent of the other: the same, or another period of the same key. */
function reachesInto(leased: FundsPool, fundsPool: FundsPool): boolean {
  if (leased.kind === "balance" || fundsPool.kind === "balance") return nameOf(leased) === nameOf(fundsPool);
  if (ownerOf(leased) !== ownerOf(fundsPool)) return false;
  const days = { day: 1, week: 7, month: 31, total: Number.POSITIVE_INFINITY }[leased.period];
  return (leased.startsAt ?? 0) + days * 86_400_000 > (fundsPool.startsAt ?? Number.NEGATIVE_INFINITY);
}

function nameOf(fundsPool: FundsPool): string {
  return fundsPool.kind === "balance"
    ? `balance ${fundsPool.accountId}`
    : `${ownerOf(fundsPool)} ${fundsPool.period} ${fundsPool.startsAt}`;
}

function ownerOf(pool: BudgetPool | AccountBudgetPool): string {
  return pool.kind === "budget" ? `budget ${pool.keyId}` : `account-budget ${pool.accountId}`;
}
