import { balancePool, type FundsPool, type FundsPoolState, LeaseLost } from "@trunkline/core/funds-pool.ts";
import type { IncomingKind } from "@trunkline/core/ledger-kinds.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { LedgerStore, WriteOutcome } from "../../ledger/billing/ledger-store.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { announceRecall } from "../database/changes.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { AccountElsewhere, type AccountGate } from "./account-gate.ts";
import { readDebt, settleDebts } from "./debts.ts";
import {
  extendBalanceLease,
  extendBudgetLease,
  readBalancePool,
  readBudgetPool,
  returnBalanceLease,
  returnBudgetLease,
} from "./leases.ts";
import { batchStatement, statementOfOne } from "./write-batch.ts";

/** The ledger in PostgreSQL, seen by one instance. */
export class PostgresLedger implements LedgerStore {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #revenueId: bigint;
  readonly #reclaimDeadInstances: () => Promise<unknown>;
  readonly #gate: AccountGate | undefined;

  private constructor(
    database: Database,
    instanceId: string,
    revenueId: bigint,
    reclaimDeadInstances: () => Promise<unknown>,
    gate: AccountGate | undefined,
  ) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#revenueId = revenueId;
    this.#reclaimDeadInstances = reclaimDeadInstances;
    this.#gate = gate;
  }

  /**
   * Each instance has a revenue account of its own, so that instances share no row. `reclaimDeadInstances` is called when
   * money is short: dead instances may still have some of it leased. `gate`: accounts may leave this database.
   */
  static async open(
    database: Database,
    instanceId: string,
    reclaimDeadInstances: () => Promise<unknown> = async () => undefined,
    gate?: AccountGate,
  ): Promise<PostgresLedger> {
    const rows = await database.query<Row<"ledger_accounts", "id">>(
      "INSERT INTO ledger_accounts (kind, instance_id) VALUES ('revenue', $1) RETURNING id",
      [instanceId],
    );
    const revenue = rows[0];
    if (revenue === undefined) throw new Error("The ledger gave no revenue account.");
    return new PostgresLedger(database, instanceId, revenue.id, reclaimDeadInstances, gate);
  }

  readPool(fundsPool: FundsPool): Promise<FundsPoolState> {
    return fundsPool.kind === "balance"
      ? readBalancePool(this.#database, fundsPool, this.#instanceId)
      : readBudgetPool(this.#database, fundsPool, this.#instanceId);
  }

  extendLease(fundsPool: FundsPool, need: NanoCredits): Promise<NanoCredits> {
    return fundsPool.kind === "balance"
      ? extendBalanceLease(this.#database, fundsPool, this.#instanceId, need, this.#gate)
      : extendBudgetLease(this.#database, fundsPool, this.#instanceId, need, this.#gate);
  }

  returnLease(fundsPool: FundsPool, amount: NanoCredits): Promise<void> {
    return fundsPool.kind === "balance"
      ? returnBalanceLease(this.#database, fundsPool, this.#instanceId, amount)
      : returnBudgetLease(this.#database, fundsPool, this.#instanceId, amount);
  }

  readDebt(accountId: string): Promise<NanoCredits> {
    return readDebt(this.#database, accountId);
  }

  async recall(fundsPool: FundsPool): Promise<void> {
    await this.#reclaimDeadInstances();
    const id = fundsPool.kind === "budget" ? fundsPool.keyId : fundsPool.accountId;
    await announceRecall(this.#database, { kind: fundsPool.kind, id, by: this.#instanceId });
  }

  async write(batch: readonly Settlement[]): Promise<WriteOutcome> {
    try {
      return { lost: lostIds(await this.#write(batch)), leasesChanged: false };
    } catch (error) {
      if (!isLeaseExhausted(error)) throw error;
      // This instance was taken for dead for a while, and its leases were returned.
      await this.#renewLeases(batch);
      return { lost: lostIds(await this.#write(batch).catch(throwLeaseLost)), leasesChanged: true };
    }
  }

  /** Returns the ids of the requests whose idempotency key belongs to another run. */
  async #write(batch: readonly Settlement[]): Promise<readonly string[]> {
    const revenueId = String(this.#revenueId);
    const [settlement] = batch;
    const one =
      settlement === undefined || batch.length > 1
        ? undefined
        : statementOfOne(this.#instanceId, revenueId, settlement);
    if (one !== undefined) {
      try {
        return await this.#database.prepared(one.name, one.text, one.values);
      } catch (error) {
        // It was written before: the statement of a batch passes over it.
        if (!isUniqueViolation(error)) throw error;
      }
    }
    const { name, text, values } = batchStatement(this.#instanceId, revenueId, batch);
    return this.#database.prepared(name, text, values);
  }

  async giveBackCharge(settlement: Pick<Settlement, "requestId" | "accountId">): Promise<void> {
    await giveBackCharge(this.#database, this.#database, settlement);
  }

  /** Leases again what the batch will cost, where it is no longer leased. */
  async #renewLeases(batch: readonly Settlement[]): Promise<void> {
    for (const [fundsPool, cost] of costByPool(batch)) {
      const { mine } = await this.readPool(fundsPool);
      if (mine >= cost) continue;
      const moved = await this.extendLease(fundsPool, cost - mine).catch(nothingIfElsewhere);
      if (moved > 0n) continue;
      throw new LeaseLost(`What was held of the ${fundsPool.kind} has gone to another instance.`);
    }
  }
}

/** Of an account that has left, nothing can be leased again here: its money has left too. */
function nothingIfElsewhere(error: unknown): NanoCredits {
  if (error instanceof AccountElsewhere) return 0n;
  throw error;
}

/** Gives back what was charged in one database as credits in another, which may be the same. */
export async function giveBackCharge(
  charged: Queryable,
  credited: Database,
  { requestId, accountId }: Pick<Settlement, "requestId" | "accountId">,
): Promise<void> {
  const memo = `Given back: request ${requestId} was charged, and its answer did not arrive.`;
  const [charge] = await charged.query<Row<"ledger_transfers", "amount">>(
    "SELECT amount FROM ledger_transfers WHERE request_id = $1::uuid",
    [requestId],
  );
  if (charge === undefined) return;
  await credited.transaction(async (connection) => {
    // A transaction whose commit went unnoticed may still run: what follows must see its result.
    await connection.query("SELECT pg_advisory_xact_lock(hashtext($1))", [memo]);
    const given = await connection.query(
      `SELECT 1 FROM ledger_transfers given JOIN ledger_accounts customer ON customer.id = given.credit
       WHERE customer.account_id = $1 AND customer.kind = 'customer' AND given.kind = 'grant' AND given.memo = $2`,
      [accountId, memo],
    );
    if (given.length === 0) await grantCredits(connection, accountId, charge.amount, memo);
  });
}

const NONE_LOST: ReadonlySet<string> = new Set();

function lostIds(ids: readonly string[]): ReadonlySet<string> {
  return ids.length === 0 ? NONE_LOST : new Set(ids);
}

/** What a batch costs each funds pool. */
function costByPool(batch: readonly Settlement[]): Iterable<readonly [FundsPool, NanoCredits]> {
  const fundsPools = new Map<string, readonly [FundsPool, NanoCredits]>();
  const add = (name: string, fundsPool: FundsPool, cost: NanoCredits) => {
    fundsPools.set(name, [fundsPool, (fundsPools.get(name)?.[1] ?? 0n) + cost]);
  };
  for (const { accountId, budget, accountBudget, cost } of batch) {
    if (cost === 0n) continue;
    add(accountId, balancePool(accountId), cost);
    if (budget !== undefined) add(`${budget.keyId} ${budget.period} ${budget.startsAt}`, budget, cost);
    if (accountBudget !== undefined)
      add(`${accountId} ${accountBudget.period} ${accountBudget.startsAt}`, accountBudget, cost);
  }
  return fundsPools.values();
}

/** No lease account to charge, or one that would fall below zero. */
function isLeaseExhausted(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !("table" in error)) return false;
  const { code, table } = error;
  if (code === NOT_NULL_VIOLATION) return table === "ledger_transfers";
  return code === CHECK_VIOLATION && LEASE_TABLES.includes(String(table));
}

function throwLeaseLost(error: unknown): never {
  if (isLeaseExhausted(error)) throw new LeaseLost("What was leased again has gone to another instance.");
  throw error;
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}

const LEASE_TABLES: readonly string[] = ["ledger_accounts", "budget_leases", "account_budget_leases"];
const UNIQUE_VIOLATION = "23505";
const NOT_NULL_VIOLATION = "23502";
const CHECK_VIOLATION = "23514";

/** Grants credits, and opens the account's customer side of the ledger where there is none yet. */
export async function grantCredits(
  connection: Queryable,
  accountId: string,
  amount: NanoCredits,
  memo: string,
): Promise<void> {
  await creditAccount(connection, "grant", accountId, amount, memo);
}

/** The account of the ledger that incoming credits of each kind come from. */
const SOURCES: Readonly<Record<IncomingKind, string>> = {
  grant: "issued",
  redeem: "issued",
  purchase: "card",
  dispute_won: "card",
  deposit: "token",
  x402: "x402",
};

/** The same for incoming credits of any kind, which pay a debt first. Returns the transfer's id. */
export async function creditAccount(
  connection: Queryable,
  kind: IncomingKind,
  accountId: string,
  amount: NanoCredits,
  memo: string,
): Promise<bigint> {
  const rows = await connection.query<Row<"ledger_transfers", "id">>(
    `WITH source AS (
       UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE kind = $5 RETURNING id
     ), customer AS (
       INSERT INTO ledger_accounts (kind, account_id, balance) VALUES ('customer', $1, $2::bigint)
       ON CONFLICT (account_id) WHERE kind = 'customer' DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance
       RETURNING id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
     SELECT $4, source.id, customer.id, $2::bigint, $3 FROM source, customer RETURNING id`,
    [accountId, amount, memo, kind, SOURCES[kind]],
  );
  if (rows[0] === undefined) throw new Error(`The ledger has no account \`${SOURCES[kind]}\`.`);
  await settleDebts(connection, [accountId]);
  return rows[0].id;
}
