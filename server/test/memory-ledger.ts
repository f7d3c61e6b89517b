import type { AccountBalance, LedgerStore } from "../src/billing/ledger-store.ts";
import type { Settlement } from "../src/billing/settlement.ts";

/** Called on the way to the books and on the way back, so that a test can hold either up or make it fail. */
export type Passage = (
  method: "balanceOf" | "extendLease" | "leaseOf" | "spentByKey" | "write",
  when: "asking" | "answering",
) => Promise<void> | void;

interface Books {
  unleased: bigint;
  leased: bigint;
}

/** The ledger's promises kept in memory, for one instance. A lease never falls below zero: such a batch fails whole. */
export class MemoryLedger implements LedgerStore {
  readonly #books = new Map<string, Books>();
  readonly #passage: Passage;
  readonly written = new Map<string, Settlement>();
  /** Every batch that was handed in, by its requests' ids. */
  readonly batches: string[][] = [];

  constructor(balances: Readonly<Record<string, bigint>>, passage: Passage = () => undefined) {
    for (const [accountId, unleased] of Object.entries(balances))
      this.#books.set(accountId, { unleased, leased: 0n });
    this.#passage = passage;
  }

  booksOf(accountId: string): Books {
    return this.#books.get(accountId) ?? { unleased: 0n, leased: 0n };
  }

  /** What all requests written so far have cost. */
  get charged(): bigint {
    return [...this.written.values()].reduce((sum, settlement) => sum + settlement.cost, 0n);
  }

  balanceOf(accountId: string): Promise<AccountBalance> {
    return this.#visit("balanceOf", () => {
      const { unleased, leased } = this.booksOf(accountId);
      return { total: unleased + leased, unleased };
    });
  }

  extendLease(accountId: string, need: bigint): Promise<bigint> {
    return this.#visit("extendLease", () => {
      const books = this.booksOf(accountId);
      if (need <= 0n) throw new Error("Nothing is no amount to lease.");
      if (books.unleased < need) return 0n;
      const eighth = books.unleased / 8n;
      const slice = eighth > need ? eighth : need;
      books.unleased -= slice;
      books.leased += slice;
      return slice;
    });
  }

  leaseOf(accountId: string): Promise<bigint> {
    return this.#visit("leaseOf", () => this.booksOf(accountId).leased);
  }

  spentByKey(keyId: string, since: Date | undefined): Promise<bigint> {
    return this.#visit("spentByKey", () =>
      [...this.written.values()]
        .filter(
          (settlement) =>
            settlement.keyId === keyId && (since === undefined || settlement.createdAt >= since),
        )
        .reduce((sum, settlement) => sum + settlement.cost, 0n),
    );
  }

  write(batch: readonly Settlement[]): Promise<void> {
    return this.#visit("write", () => {
      this.batches.push(batch.map((settlement) => settlement.requestId));
      const fresh = batch.filter((settlement) => !this.written.has(settlement.requestId));
      for (const accountId of new Set(fresh.map((settlement) => settlement.accountId))) {
        const own = fresh.filter((settlement) => settlement.accountId === accountId);
        const cost = own.reduce((sum, settlement) => sum + settlement.cost, 0n);
        if (cost > this.booksOf(accountId).leased)
          throw new Error(`The lease of ${accountId} would fall below zero.`);
      }
      for (const settlement of fresh) {
        if (settlement.cost > settlement.held) throw new Error("More was charged than held.");
        this.booksOf(settlement.accountId).leased -= settlement.cost;
        this.written.set(settlement.requestId, settlement);
      }
    });
  }

  async #visit<Result>(method: Parameters<Passage>[0], act: () => Result): Promise<Result> {
    await this.#passage(method, "asking");
    const result = act();
    await this.#passage(method, "answering");
    return result;
  }
}
