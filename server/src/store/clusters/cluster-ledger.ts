import type { BalancePool, FundsPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Claim, ClaimOutcome, IdempotentRunStore } from "../../ledger/billing/idempotent-run.ts";
import type { LedgerStore, WriteOutcome } from "../../ledger/billing/ledger-store.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { announceRecall } from "../database/changes.ts";
import type { Database } from "../database/database.ts";
import { readDebt } from "../ledger/debts.ts";
import type { PostgresIdempotentRuns } from "../ledger/idempotent-runs.ts";
import { readBudgetPool } from "../ledger/leases.ts";
import { giveBackCharge, type PostgresLedger } from "../ledger/ledger.ts";
import type { ClusterTransfers } from "./cluster-transfers.ts";
import type { Placements } from "./placements.ts";

/** Named as the one who recalls leases for another cluster: no instance has this id, so that all of them give back. */
const OTHER_CLUSTER = "elsewhere";

/** What the ledger of one cluster needs to know of the others. */
export interface ClusterContext {
  /** The number of this cluster. */
  readonly number: number;
  readonly instanceId: string;
  readonly home: Database;
  databaseOf(number: number): Database;
  readonly placements: Placements;
  readonly transfers: ClusterTransfers;
}

/**
 * The ledger of one cluster among several. Money of an account that is elsewhere is fetched when this cluster has too
 * little: payments arrive at home, and leases of a cluster that the account has left are returned there.
 */
export class ClusterLedger implements LedgerStore {
  readonly #own: PostgresLedger;
  readonly #context: ClusterContext;

  constructor(own: PostgresLedger, context: ClusterContext) {
    this.#own = own;
    this.#context = context;
  }

  async readPool(fundsPool: FundsPool): Promise<FundsPoolState> {
    if (fundsPool.kind !== "balance") return this.#own.readPool(await this.#withoutPast(fundsPool));
    const { placements } = this.#context;
    const { cluster } = placements.of(fundsPool.accountId);
    const others = [cluster, ...placements.othersOf(fundsPool.accountId)].filter(
      (number) => number !== this.#context.number,
    );
    // This cluster is read last: what comes here meanwhile is counted, and never missed.
    let [totalThere, unleasedThere] = [0n, 0n];
    for (const number of others) {
      const { total, unleased } = await readThere(this.#context.databaseOf(number), fundsPool);
      totalThere += total;
      unleasedThere += unleased;
    }
    const { total, unleased, mine } = await this.#own.readPool(fundsPool);
    return { total: total + totalThere, unleased: unleased + unleasedThere, mine };
  }

  async extendLease(fundsPool: FundsPool, need: NanoCredits): Promise<NanoCredits> {
    if (fundsPool.kind !== "balance") return this.#own.extendLease(await this.#withoutPast(fundsPool), need);
    const leased = await this.#own.extendLease(fundsPool, need);
    if (leased > 0n || !(await this.#fetch(fundsPool.accountId))) return leased;
    return this.#own.extendLease(fundsPool, need);
  }

  returnLease(fundsPool: FundsPool, amount: NanoCredits): Promise<void> {
    return this.#own.returnLease(fundsPool, amount);
  }

  /** Refunds and disputes are booked at home. */
  readDebt(accountId: string): Promise<NanoCredits> {
    return readDebt(this.#context.home, accountId);
  }

  async recall(fundsPool: FundsPool): Promise<void> {
    await this.#own.recall(fundsPool);
    const { accountId } = fundsPool;
    if (accountId === undefined) return;
    const id = fundsPool.kind === "budget" ? fundsPool.keyId : accountId;
    for (const number of this.#othersOf(accountId))
      await announceRecall(this.#context.databaseOf(number), { kind: fundsPool.kind, id, by: OTHER_CLUSTER });
  }

  write(batch: readonly Settlement[]): Promise<WriteOutcome> {
    return this.#own.write(batch);
  }

  giveBackCharge(settlement: Pick<Settlement, "requestId" | "accountId">): Promise<void> {
    const { home, number } = this.#context;
    return giveBackCharge(this.#context.databaseOf(number), home, settlement);
  }

  /**
   * Fetches what is elsewhere and not leased there, and what is on its way. Returns whether there may be more here now. A
   * cluster that is away is passed over where another one had something.
   */
  async #fetch(accountId: string): Promise<boolean> {
    const others = this.#othersOf(accountId);
    if (others.length === 0) return false;
    const { transfers, number } = this.#context;
    let moved = 0n;
    const failures: unknown[] = [];
    for (const other of others) {
      try {
        const { underWay } = await readThere(this.#context.databaseOf(other), { kind: "balance", accountId });
        if (underWay > 0n) await transfers.resume(accountId);
        moved += underWay + (await transfers.move("customer", accountId, other, number));
      } catch (error) {
        failures.push(error);
      }
    }
    // A store that is away is no lack of credits.
    if (moved === 0n && failures[0] instanceof Error) throw failures[0];
    return moved > 0n;
  }

  /** The same budget, less what was spent of it on clusters that the account has left, or may still be spent there. */
  async #withoutPast<Pool extends Exclude<FundsPool, BalancePool>>(pool: Pool): Promise<Pool> {
    if (pool.accountId === undefined) return pool;
    let { limit } = pool;
    for (const number of this.#context.placements.of(pool.accountId).past) {
      if (number === this.#context.number) continue;
      const { unleased } = await readBudgetPool(
        this.#context.databaseOf(number),
        { ...pool, limit: 0n },
        this.#context.instanceId,
      );
      limit += unleased;
    }
    return limit === pool.limit ? pool : { ...pool, limit };
  }

  #othersOf(accountId: string): readonly number[] {
    const { placements, number } = this.#context;
    // Of an account that has left, nothing is brought back here.
    return placements.of(accountId).cluster === number ? placements.othersOf(accountId) : [];
  }
}

/** What an account has on another cluster; what has left it and has not arrived can be leased here in a moment. */
async function readThere(database: Database, { accountId }: BalancePool) {
  const [row] = await database.query<{ total: bigint; unleased: bigint; under_way: bigint }>(
    `SELECT coalesce(sum(balance), 0)::bigint AS total,
       coalesce(sum(balance) FILTER (WHERE kind = 'customer'), 0)::bigint AS unleased,
       (SELECT coalesce(sum(amount), 0)::bigint FROM cluster_transfers
        WHERE account_id = $1 AND side = 'out' AND arrived_at IS NULL AND kind = 'customer') AS under_way
     FROM ledger_accounts WHERE account_id = $1 AND kind IN ('customer', 'lease')`,
    [accountId],
  );
  const { total, unleased, under_way: underWay } = row ?? { total: 0n, unleased: 0n, under_way: 0n };
  return { total: total + underWay, unleased: unleased + underWay, underWay };
}

/** Idempotency keys of one cluster among several: those claimed before an account came are on the clusters that it has left. */
export class ClusterIdempotentRuns implements IdempotentRunStore {
  readonly #own: PostgresIdempotentRuns;
  readonly #runsOn: (number: number) => PostgresIdempotentRuns;
  readonly #context: Pick<ClusterContext, "number" | "placements">;

  constructor(
    own: PostgresIdempotentRuns,
    runsOn: (number: number) => PostgresIdempotentRuns,
    context: Pick<ClusterContext, "number" | "placements">,
  ) {
    this.#own = own;
    this.#runsOn = runsOn;
    this.#context = context;
  }

  async claim(claim: Claim): Promise<ClaimOutcome> {
    // No key is claimed any more on a cluster that the account has left, so that one that is not there now never will be.
    for (const number of this.#context.placements.of(claim.accountId).past) {
      if (number === this.#context.number) continue;
      const known = await this.#runsOn(number).find(claim);
      if (known !== undefined) return known;
    }
    return this.#own.claim(claim);
  }

  abandon(claim: Claim): Promise<void> {
    return this.#own.abandon(claim);
  }
}
