import { balanceLot, LeaseLost, type Lot, type LotBooks } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { LedgerStore, WriteOutcome } from "../../ledger/billing/ledger-store.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { announceRecall } from "../database/changes.ts";
import type { Database, Queryable } from "../database/database.ts";
import { extendBalanceLease, lookAtBalance, returnBalanceLease } from "./balance-leases.ts";
import { extendBudgetLease, lookAtBudget, returnBudgetLease } from "./budget-leases.ts";
import { documentsOf, statementFor } from "./write-batch.ts";

/** The ledger in PostgreSQL, seen by one instance. */
export class PostgresLedger implements LedgerStore {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #revenueId: bigint;
  readonly #buryTheDead: () => Promise<unknown>;

  private constructor(
    database: Database,
    instanceId: string,
    revenueId: bigint,
    buryTheDead: () => Promise<unknown>,
  ) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#revenueId = revenueId;
    this.#buryTheDead = buryTheDead;
  }

  /**
   * Each instance earns into an account of its own, so that no row is shared by all. `buryTheDead` is called when
   * money is short: what the dead have leased may be what is lacking.
   */
  static async open(
    database: Database,
    instanceId: string,
    buryTheDead: () => Promise<unknown> = async () => undefined,
  ): Promise<PostgresLedger> {
    const rows = await database.query<{ id: bigint }>(
      "INSERT INTO ledger_accounts (kind, instance_id) VALUES ('revenue', $1) RETURNING id",
      [instanceId],
    );
    const revenue = rows[0];
    if (revenue === undefined) throw new Error("The ledger gave no revenue account.");
    return new PostgresLedger(database, instanceId, revenue.id, buryTheDead);
  }

  look(lot: Lot): Promise<LotBooks> {
    return lot.kind === "balance"
      ? lookAtBalance(this.#database, lot, this.#instanceId)
      : lookAtBudget(this.#database, lot, this.#instanceId);
  }

  extend(lot: Lot, need: NanoCredits): Promise<NanoCredits> {
    return lot.kind === "balance"
      ? extendBalanceLease(this.#database, lot, this.#instanceId, need)
      : extendBudgetLease(this.#database, lot, this.#instanceId, need);
  }

  giveBack(lot: Lot, amount: NanoCredits): Promise<void> {
    return lot.kind === "balance"
      ? returnBalanceLease(this.#database, lot, this.#instanceId, amount)
      : returnBudgetLease(this.#database, lot, this.#instanceId, amount);
  }

  async recall(lot: Lot): Promise<void> {
    await this.#buryTheDead();
    const id = lot.kind === "balance" ? lot.accountId : lot.keyId;
    await announceRecall(this.#database, { kind: lot.kind, id, by: this.#instanceId });
  }

  async write(batch: readonly Settlement[]): Promise<WriteOutcome> {
    try {
      return { lost: await this.#write(batch), leasesChanged: false };
    } catch (error) {
      if (!isShortOfLease(error)) throw error;
      // The store lost sight of this instance for a while, and its leases were given to others who need them.
      await this.#leaseAnew(batch);
      return { lost: await this.#write(batch).catch(throwLeaseLost), leasesChanged: true };
    }
  }

  async #write(batch: readonly Settlement[]): Promise<ReadonlySet<string>> {
    const { name, text } = statementFor(batch);
    const rows = await this.#database.prepared<{ id: string }>(name, text, [
      this.#instanceId,
      this.#revenueId,
      ...documentsOf(batch),
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Leases again what the batch will cost, where it is no longer leased. */
  async #leaseAnew(batch: readonly Settlement[]): Promise<void> {
    for (const [lot, cost] of lotsOf(batch)) {
      const { mine } = await this.look(lot);
      if (mine >= cost) continue;
      const moved = await this.extend(lot, cost - mine);
      if (moved > 0n) continue;
      throw new LeaseLost(`What was held of the ${lot.kind} has gone to another instance.`);
    }
  }
}

/** What a batch takes of each lot. */
function lotsOf(batch: readonly Settlement[]): Iterable<readonly [Lot, NanoCredits]> {
  const lots = new Map<string, readonly [Lot, NanoCredits]>();
  const add = (name: string, lot: Lot, cost: NanoCredits) => {
    lots.set(name, [lot, (lots.get(name)?.[1] ?? 0n) + cost]);
  };
  for (const { accountId, budget, cost } of batch) {
    if (cost === 0n) continue;
    add(accountId, balanceLot(accountId), cost);
    if (budget !== undefined) add(`${budget.keyId} ${budget.period} ${budget.startsAt}`, budget, cost);
  }
  return lots.values();
}

/** No lease account to charge, or one that would fall below zero. */
function isShortOfLease(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !("table" in error)) return false;
  const { code, table } = error;
  if (code === NOT_NULL) return table === "ledger_transfers";
  return code === CHECK && (table === "ledger_accounts" || table === "budget_leases");
}

function throwLeaseLost(error: unknown): never {
  if (isShortOfLease(error)) throw new LeaseLost("What was leased anew has gone to another instance.");
  throw error;
}

const NOT_NULL = "23502";
const CHECK = "23514";

/** Opens an account's side of the ledger and puts credits on it. */
export async function grantCredits(
  connection: Queryable,
  accountId: string,
  amount: NanoCredits,
  memo: string,
): Promise<void> {
  await creditAccount(connection, "grant", accountId, amount, memo);
}

/** The same for credits that come in by any way; tells the movement's id. */
export async function creditAccount(
  connection: Queryable,
  kind: "grant" | "redeem",
  accountId: string,
  amount: NanoCredits,
  memo: string,
): Promise<bigint> {
  const rows = await connection.query<{ id: bigint }>(
    `WITH issued AS (
       UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE kind = 'issued' RETURNING id
     ), customer AS (
       INSERT INTO ledger_accounts (kind, account_id, balance) VALUES ('customer', $1, $2::bigint)
       ON CONFLICT (account_id) WHERE kind = 'customer' DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance
       RETURNING id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
     SELECT $4, issued.id, customer.id, $2::bigint, $3 FROM issued, customer RETURNING id`,
    [accountId, amount, memo, kind],
  );
  if (rows[0] === undefined) throw new Error("The ledger has nowhere that credits come from.");
  return rows[0].id;
}
