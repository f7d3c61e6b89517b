import { Fault } from "@trunkline/core/fault.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type {
  CreditedDeposit,
  DepositFilter,
  DepositStore,
  PendingDeposit,
  ReadRange,
  ScanPosition,
  ScanState,
  TokenDeposit,
} from "../../payments/token/deposit-store.ts";
import type { TokenTransfer } from "../../payments/token/token-chain.ts";
import type { TokenSettings } from "../../payments/token/token-settings.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage, rowsOf } from "../database/sql.ts";
import { creditAccount } from "../ledger/ledger.ts";

/** An instance that does not come back has its lease for this long. */
const LEASE = "interval '15 seconds'";
const IS_SCAN = "chain_id = $1 AND contract = $2 AND treasury = $3";
const CREDITS_AT_ONCE = 200;
const OUT_OF_RANGE = "22003";

type DepositRow = Row<"token_deposits">;

/** Deposits of one token to one treasury, in PostgreSQL. */
export class PostgresTokenDeposits implements DepositStore {
  readonly #database: Database;
  readonly #instanceId: string;
  /** The values of `IS_SCAN`. */
  readonly #scan: readonly [number, string, string];

  constructor(
    database: Database,
    instanceId: string,
    { chainId, contract, treasury }: Pick<TokenSettings, "chainId" | "contract" | "treasury">,
  ) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#scan = [chainId, contract, treasury];
  }

  async takeLease(startBlock: bigint): Promise<ScanPosition | undefined> {
    await this.#database.query(
      `INSERT INTO token_scans (chain_id, contract, treasury, next_block) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [...this.#scan, startBlock],
    );
    const [row] = await this.#database.query<Row<"token_scans", "next_block" | "block_hash">>(
      `UPDATE token_scans SET leased_by = $4, leased_until = now() + ${LEASE}
       WHERE ${IS_SCAN} AND (leased_by = $4 OR leased_until IS NULL OR leased_until < now())
       RETURNING next_block, block_hash`,
      [...this.#scan, this.#instanceId],
    );
    return row && { nextBlock: row.next_block, blockHash: row.block_hash ?? undefined };
  }

  async releaseLease(): Promise<void> {
    await this.#database.query(
      `UPDATE token_scans SET leased_by = NULL, leased_until = NULL WHERE ${IS_SCAN} AND leased_by = $4`,
      [...this.#scan, this.#instanceId],
    );
  }

  async unknownOf(transfers: readonly TokenTransfer[]): Promise<readonly TokenTransfer[]> {
    if (transfers.length === 0) return [];
    const rows = await this.#database.query<Row<"token_deposits", "tx_hash" | "log_index">>(
      "SELECT tx_hash, log_index FROM token_deposits WHERE chain_id = $1 AND tx_hash = ANY($2::text[])",
      [this.#scan[0], [...new Set(transfers.map(({ txHash }) => txHash))]],
    );
    const known = new Set(rows.map((row) => `${row.tx_hash} ${row.log_index}`));
    return transfers.filter(({ txHash, logIndex }) => !known.has(`${txHash} ${logIndex}`));
  }

  /**
   * A transaction that was recorded in another block before was credited there, though its events may have other numbers
   * now: it waits for the operator.
   */
  record(range: ReadRange): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const moved = await connection.query(
        `UPDATE token_scans SET next_block = $5::bigint + 1, block_hash = $6 WHERE ${IS_SCAN} AND next_block = $4 RETURNING 1`,
        [...this.#scan, range.from, range.to, range.blockHash],
      );
      if (moved.length === 0) return false;
      if (range.unexplained > 0n) {
        await connection.query(
          `INSERT INTO token_unexplained (chain_id, contract, treasury, from_block, to_block, units)
           VALUES ($1, $2, $3, $4, $5, $6)`,
          [...this.#scan, range.from, range.to, range.unexplained],
        );
      }
      if (range.deposits.length === 0) return true;
      const { names, from, values } = rowsOf(
        range.deposits,
        {
          id: ["uuid", ({ id }) => id],
          tx_hash: ["text", ({ txHash }) => txHash],
          log_index: ["integer", ({ logIndex }) => logIndex],
          block_number: ["bigint", ({ blockNumber }) => blockNumber],
          block_hash: ["text", ({ blockHash }) => blockHash],
          sender: ["text", ({ sender }) => sender],
          reference: ["text", ({ reference }) => reference ?? null],
          units: ["numeric", ({ units }) => units],
          received: ["numeric", ({ received }) => received],
          rate: ["numeric", ({ rate }) => rate ?? null],
          amount: ["bigint", ({ amount }) => amount ?? null],
          state: ["text", ({ state }) => state],
          note: ["text", ({ note }) => note ?? null],
        },
        5,
      );
      await connection.query(
        `INSERT INTO token_deposits (chain_id, contract, treasury, token_decimals, ${names})
         SELECT $1, $2, $3, $4, item.* FROM ${from} ON CONFLICT (chain_id, tx_hash, log_index) DO NOTHING`,
        [...this.#scan, range.tokenDecimals, ...values],
      );
      await connection.query(
        `UPDATE token_deposits d SET state = 'review', note = 'Its transaction was recorded in another block before.'
         WHERE id = ANY($1::uuid[]) AND state = 'unclaimed' AND EXISTS (SELECT 1 FROM token_deposits before
           WHERE before.chain_id = d.chain_id AND before.tx_hash = d.tx_hash AND before.block_hash <> d.block_hash)`,
        [range.deposits.map(({ id }) => id)],
      );
      return true;
    });
  }

  /** A range with unexplained units is read again as a whole, so that they are counted once. */
  rewind(nextBlock: bigint): Promise<bigint | undefined> {
    return this.#database.transaction(async (connection) => {
      const [moved] = await connection.query<Row<"token_scans", "next_block">>(
        `UPDATE token_scans SET block_hash = NULL, next_block = least($4, (
           SELECT min(from_block) FROM token_unexplained WHERE ${IS_SCAN} AND to_block >= $4))
         WHERE ${IS_SCAN} AND next_block >= $4 RETURNING next_block`,
        [...this.#scan, nextBlock],
      );
      if (moved === undefined) return undefined;
      await connection.query(`DELETE FROM token_unexplained WHERE ${IS_SCAN} AND from_block >= $4`, [
        ...this.#scan,
        moved.next_block,
      ]);
      return moved.next_block;
    });
  }

  savePending(pending: readonly PendingDeposit[], head: bigint, final: bigint): Promise<void> {
    return this.#database.transaction(async (connection) => {
      await connection.query(
        `UPDATE token_scans SET head_block = $4, final_block = $5, read_at = now() WHERE ${IS_SCAN}`,
        [...this.#scan, head, final],
      );
      await connection.query(`DELETE FROM token_pending WHERE ${IS_SCAN}`, this.#scan);
      if (pending.length === 0) return;
      const { names, from, values } = rowsOf(
        pending,
        {
          tx_hash: ["text", ({ txHash }) => txHash],
          log_index: ["integer", ({ logIndex }) => logIndex],
          block_number: ["bigint", ({ blockNumber }) => blockNumber],
          sender: ["text", ({ sender }) => sender],
          reference: ["text", ({ reference }) => reference ?? null],
          units: ["numeric", ({ units }) => units],
        },
        4,
      );
      await connection.query(
        `INSERT INTO token_pending (chain_id, contract, treasury, ${names}) SELECT $1, $2, $3, item.* FROM ${from}`,
        [...this.#scan, ...values],
      );
    });
  }

  async creditClaimable(): Promise<readonly CreditedDeposit[]> {
    const credited: CreditedDeposit[] = [];
    for (let hasMore = true; hasMore; ) {
      const rows = await this.#database.query<Row<"token_deposits", "id">>(
        `SELECT d.id FROM token_deposits d WHERE d.state = 'unclaimed'
           AND (EXISTS (SELECT 1 FROM wallets w WHERE w.address = d.sender)
             OR EXISTS (SELECT 1 FROM deposit_references r WHERE r.reference = d.reference))
         ORDER BY d.id LIMIT ${CREDITS_AT_ONCE}`,
      );
      const before = credited.length;
      for (const { id } of rows) {
        const deposit = await this.#creditByOwner(id).catch((error: unknown) => this.#leaveToOperator(id, error));
        if (deposit !== undefined) credited.push(deposit);
      }
      // Where none could be credited, another instance has done it.
      hasMore = rows.length === CREDITS_AT_ONCE && credited.length > before;
    }
    return credited;
  }

  /** The reference counts before the wallet: it says for whom the payment is. */
  #creditByOwner(id: string): Promise<CreditedDeposit | undefined> {
    return this.#database.transaction(async (connection) => {
      const deposit = await lockDeposit(connection, id);
      if (deposit?.state !== "unclaimed" || deposit.amount === null) return undefined;
      const [owner] = await connection.query<{ account_id: string }>(
        `SELECT account_id FROM deposit_references WHERE reference = $1
         UNION ALL SELECT account_id FROM wallets WHERE address = $2 LIMIT 1`,
        [deposit.reference, deposit.sender],
      );
      if (owner === undefined) return undefined;
      await creditDeposit(connection, deposit, owner.account_id, deposit.amount, false);
      return { accountId: owner.account_id, amount: deposit.amount };
    });
  }

  /** A balance that can't grow any more must not hold up everyone else's deposits. */
  async #leaveToOperator(id: string, error: unknown): Promise<undefined> {
    if (!(error instanceof Error && "code" in error && error.code === OUT_OF_RANGE)) throw error;
    await this.#database.query(
      "UPDATE token_deposits SET state = 'review', note = 'The balance can''t hold it.' WHERE id = $1 AND state = 'unclaimed'",
      [id],
    );
  }

  /** Credits a deposit that waits, by the operator's word. Without an amount, what it is worth. */
  creditByOperator(id: string, accountId: string, amount: NanoCredits | undefined): Promise<TokenDeposit> {
    return this.#database.transaction(async (connection) => {
      const deposit = await lockDeposit(connection, id);
      if (deposit === undefined) throw new Fault("not_found", "There is no such deposit.");
      if (deposit.state !== "unclaimed" && deposit.state !== "review")
        throw new Fault("conflict", "This deposit does not wait: it is credited already, or worth nothing.");
      const [account] = await connection.query("SELECT 1 FROM accounts WHERE id = $1", [accountId]);
      if (account === undefined) throw new Fault("not_found", "There is no such account.", { param: "account_id" });
      const credits = amount ?? deposit.amount ?? undefined;
      if (credits === undefined || credits === 0n) {
        throw new Fault("invalid_request", "Say how many `credits` to give: what this deposit is worth is not known.", {
          param: "credits",
        });
      }
      await creditDeposit(connection, deposit, accountId, credits, amount !== undefined);
      return depositOf(await readDeposit(connection, id));
    });
  }

  async list({ accountId, state }: DepositFilter, limit: number, cursor: string | undefined): Promise<TokenDeposit[]> {
    const rows = await readPage<DepositRow>(
      this.#database,
      `SELECT * FROM token_deposits WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::text IS NULL OR state = $2)`,
      [accountId ?? null, state ?? null],
      { limit, cursor },
    );
    return rows.map(depositOf);
  }

  /** What is on its way to an account, newest first. */
  async pendingOf(accountId: string): Promise<PendingDeposit[]> {
    const rows = await this.#database.query<Row<"token_pending">>(
      `SELECT p.* FROM token_pending p WHERE ${IS_SCAN} AND coalesce(
         (SELECT account_id FROM deposit_references r WHERE r.reference = p.reference),
         (SELECT account_id FROM wallets w WHERE w.address = p.sender)) = $4
       ORDER BY block_number DESC, log_index DESC LIMIT 100`,
      [...this.#scan, accountId],
    );
    return rows.map((row) => ({
      txHash: row.tx_hash,
      logIndex: row.log_index,
      blockNumber: row.block_number,
      sender: row.sender,
      reference: row.reference ?? undefined,
      units: BigInt(row.units),
    }));
  }

  async state(): Promise<ScanState | undefined> {
    const [row] = await this.#database.query<Row<"token_scans"> & { readonly unexplained: string }>(
      `SELECT *, (SELECT coalesce(sum(units), 0)::text FROM token_unexplained WHERE ${IS_SCAN}) AS unexplained
       FROM token_scans WHERE ${IS_SCAN}`,
      this.#scan,
    );
    return (
      row && {
        nextBlock: row.next_block,
        blockHash: row.block_hash ?? undefined,
        headBlock: row.head_block ?? undefined,
        finalBlock: row.final_block ?? undefined,
        readAt: row.read_at ?? undefined,
        unexplained: BigInt(row.unexplained),
      }
    );
  }

  /** An account's reference for the deposit contract; `fresh` becomes it where there is none. */
  async referenceOf(accountId: string, fresh: string): Promise<string> {
    const rows = await this.#database.query<Row<"deposit_references", "reference">>(
      `WITH added AS (INSERT INTO deposit_references (account_id, reference) VALUES ($1, $2) ON CONFLICT (account_id) DO NOTHING)
       SELECT reference FROM deposit_references WHERE account_id = $1`,
      [accountId, fresh],
    );
    // What the statement itself has added, it does not see.
    return rows[0]?.reference ?? this.referenceOf(accountId, fresh);
  }
}

async function lockDeposit(connection: Queryable, id: string): Promise<DepositRow | undefined> {
  const rows = await connection.query<DepositRow>("SELECT * FROM token_deposits WHERE id = $1 FOR UPDATE", [id]);
  return rows[0];
}

async function readDeposit(connection: Queryable, id: string): Promise<DepositRow> {
  const [row] = await connection.query<DepositRow>("SELECT * FROM token_deposits WHERE id = $1", [id]);
  if (row === undefined) throw new Error("A deposit is gone.");
  return row;
}

/** The movement and the deposit's own row, in the caller's transaction. */
async function creditDeposit(
  connection: Queryable,
  deposit: DepositRow,
  accountId: string,
  amount: NanoCredits,
  byOperator: boolean,
): Promise<void> {
  const memo = `transaction ${deposit.tx_hash} on chain ${deposit.chain_id}`;
  const transferId = await creditAccount(connection, "deposit", accountId, amount, memo);
  await connection.query(
    `UPDATE token_deposits SET state = 'credited', account_id = $2, amount = $3, transfer_id = $4, by_operator = $5,
       credited_at = now() WHERE id = $1`,
    [deposit.id, accountId, amount, transferId, byOperator],
  );
}

function depositOf(row: DepositRow): TokenDeposit {
  return {
    id: row.id,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    sender: row.sender,
    reference: row.reference ?? undefined,
    units: BigInt(row.units),
    received: BigInt(row.received),
    tokenDecimals: row.token_decimals,
    rate: row.rate ?? undefined,
    amount: row.amount ?? undefined,
    state: row.state as TokenDeposit["state"],
    note: row.note ?? undefined,
    accountId: row.account_id ?? undefined,
    createdAt: row.created_at,
    creditedAt: row.credited_at ?? undefined,
  };
}
