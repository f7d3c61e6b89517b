import type {
  CodeFilter,
  CodeTerms,
  HashedCode,
  RedeemCode,
  RedeemCodeStore,
  Redemption,
} from "../../ledger/billing/redeem-codes.ts";
import { type AccountsElsewhere, NOTHING_ELSEWHERE } from "../clusters/accounts-elsewhere.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage, rowsOf } from "../database/sql.ts";
import { creditAccount } from "./ledger.ts";
import { INCOMING_CREDITS } from "./statements-reader.ts";

const STATE = `CASE WHEN stopped_at IS NOT NULL THEN 'stopped' WHEN used >= uses THEN 'used'
  WHEN expires_at <= now() THEN 'expired' ELSE 'active' END`;
const COLUMNS = `id, hint, amount, uses, used, note, expires_at, stopped_at, created_at, ${STATE} AS state`;

type CodeRow = Omit<Row<"redeem_codes">, "hash"> & { readonly state: RedeemCode["state"] };

/** Redeem codes in PostgreSQL. */
export class PostgresRedeemCodes implements RedeemCodeStore {
  readonly #database: Database;
  readonly #elsewhere: AccountsElsewhere;

  constructor(database: Database, elsewhere = NOTHING_ELSEWHERE) {
    this.#database = database;
    this.#elsewhere = elsewhere;
  }

  async add(codes: readonly HashedCode[], terms: CodeTerms): Promise<RedeemCode[]> {
    const { names, from, values } = rowsOf(
      codes,
      { id: ["uuid", ({ id }) => id], hash: ["bytea", ({ hash }) => hash], hint: ["text", ({ hint }) => hint] },
      5,
    );
    const rows = await this.#database.query<CodeRow>(
      `INSERT INTO redeem_codes (amount, uses, note, expires_at, ${names})
       SELECT $1::bigint, $2::integer, $3, $4::timestamptz, item.* FROM ${from} RETURNING ${COLUMNS}`,
      [terms.amount, terms.uses, terms.note, terms.expiresAt ?? null, ...values],
    );
    return rows.map(codeOf);
  }

  async list({ state, text }: CodeFilter, limit: number, cursor: string | undefined): Promise<RedeemCode[]> {
    const rows = await readPage<CodeRow>(
      this.#database,
      `SELECT ${COLUMNS} FROM redeem_codes WHERE ($1::text IS NULL OR ${STATE} = $1)
         AND ($2::text IS NULL OR strpos(lower(hint || ' ' || note), lower($2)) > 0)`,
      [state ?? null, text ?? null],
      { limit, cursor },
    );
    return rows.map(codeOf);
  }

  async stop(id: string): Promise<boolean> {
    const rows = await this.#database.query(
      "UPDATE redeem_codes SET stopped_at = coalesce(stopped_at, now()) WHERE id = $1 RETURNING 1",
      [id],
    );
    return rows.length > 0;
  }

  /**
   * Writes the use, the credits and the redemption in one transaction. A concurrent redemption of the same code waits for
   * the row's lock, and then sees this use.
   */
  redeem(accountId: string, hash: Buffer): Promise<Redemption> {
    return this.#database.transaction(async (connection) => {
      const rows = await connection.query<CodeRow>(`SELECT ${COLUMNS} FROM redeem_codes WHERE hash = $1 FOR UPDATE`, [
        hash,
      ]);
      const code = rows[0];
      if (code === undefined) return { outcome: "unknown" };
      // In a statement of its own, so that it sees what was committed before the lock was granted.
      const before = await connection.query<Row<"redemptions", "created_at">>(
        "SELECT created_at FROM redemptions WHERE code_id = $1 AND account_id = $2",
        [code.id, accountId],
      );
      if (before[0] !== undefined) return { outcome: "repeated", at: before[0].created_at };
      if (code.state !== "active") return { outcome: code.state };
      await connection.query("UPDATE redeem_codes SET used = used + 1 WHERE id = $1", [code.id]);
      const transferId = await creditAccount(connection, "redeem", accountId, code.amount, code.hint);
      await connection.query("INSERT INTO redemptions (code_id, account_id, transfer_id) VALUES ($1, $2, $3)", [
        code.id,
        accountId,
        transferId,
      ]);
      const { balance, number } = await readReceipt(connection, accountId, transferId);
      const elsewhere = (await this.#elsewhere.balancesOf([accountId])).get(accountId) ?? 0n;
      return { outcome: "redeemed", amount: code.amount, balance: balance + elsewhere, number, hint: code.hint };
    });
  }
}

async function readReceipt(connection: Queryable, accountId: string, transferId: bigint) {
  const rows = await connection.query<{ balance: bigint; number: string }>(
    `SELECT number, (
         SELECT sum(balance)::bigint FROM ledger_accounts WHERE account_id = $1 AND kind IN ('customer', 'lease')
       ) AS balance
     FROM (${INCOMING_CREDITS}) AS incoming WHERE transfer_id = $2`,
    [accountId, transferId],
  );
  if (rows[0] === undefined) throw new Error("What was redeemed has no receipt.");
  return rows[0];
}

function codeOf(row: CodeRow): RedeemCode {
  return {
    id: row.id,
    hint: row.hint,
    amount: row.amount,
    uses: row.uses,
    used: row.used,
    note: row.note,
    expiresAt: row.expires_at ?? undefined,
    stoppedAt: row.stopped_at ?? undefined,
    state: row.state,
    createdAt: row.created_at,
  };
}
