import { CREDIT_REQUEST_STATES } from "@trunkline/core/credit-request.ts";
import type {
  CreditDecision,
  CreditRequest,
  CreditRequestFilter,
  CreditRequestStore,
} from "../../ledger/billing/credit-requests.ts";
import { type AccountsElsewhere, NOTHING_ELSEWHERE } from "../clusters/accounts-elsewhere.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";
import { creditAccount } from "./ledger.ts";

type CreditRequestRow = Row<"credit_requests"> & {
  account_name: string;
  balance: bigint;
  email: string | null;
};

const SELECT = `SELECT r.*, a.name AS account_name, p.email,
    coalesce((SELECT sum(l.balance) FROM ledger_accounts l WHERE l.account_id = a.id AND l.kind IN ('customer', 'lease')), 0)::bigint AS balance
  FROM credit_requests r JOIN accounts a ON a.id = r.account_id LEFT JOIN people p ON p.id = r.person_id`;

/** Requests for credits in PostgreSQL. */
export class PostgresCreditRequests implements CreditRequestStore {
  readonly #database: Database;
  readonly #elsewhere: AccountsElsewhere;

  constructor(database: Database, elsewhere = NOTHING_ELSEWHERE) {
    this.#database = database;
    this.#elsewhere = elsewhere;
  }

  async create({ id, accountId, personId, message }: Parameters<CreditRequestStore["create"]>[0]) {
    const created = await this.#database.query(
      `INSERT INTO credit_requests (id, account_id, person_id, message) VALUES ($1, $2, $3, $4)
       ON CONFLICT (account_id) WHERE state = 'open' DO NOTHING RETURNING 1`,
      [id, accountId, personId ?? null, message],
    );
    return created.length === 0 ? undefined : this.#find(id);
  }

  async list({ accountId, state }: CreditRequestFilter, limit: number, cursor: string | undefined) {
    const rows = await readPage<CreditRequestRow>(
      this.#database,
      `${SELECT} WHERE ($1::uuid IS NULL OR r.account_id = $1) AND ($2::text IS NULL OR r.state = $2)`,
      [accountId ?? null, state ?? null],
      { limit, cursor },
      "r.id",
    );
    const elsewhere = await this.#elsewhere.balancesOf(rows.map(({ account_id: id }) => id));
    return rows.map((row) => creditRequestOf({ ...row, balance: row.balance + (elsewhere.get(row.account_id) ?? 0n) }));
  }

  async decide(id: string, decision: CreditDecision): Promise<CreditRequest | undefined> {
    const isDecided = await this.#database.transaction(async (connection) => {
      const amount = decision.state === "granted" ? decision.amount : null;
      const [row] = await connection.query<Row<"credit_requests", "account_id">>(
        `UPDATE credit_requests SET state = $2, amount = $3, reply = $4, decided_at = now()
         WHERE id = $1 AND state = 'open' RETURNING account_id`,
        [id, decision.state, amount, decision.reply ?? null],
      );
      if (row === undefined) return false;
      if (amount !== null) await creditAccount(connection, "grant", row.account_id, amount, "credit request");
      return true;
    });
    return isDecided ? this.#find(id) : undefined;
  }

  async withdraw(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE credit_requests SET state = 'withdrawn', decided_at = now()
       WHERE id = $2 AND account_id = $1 AND state = 'open' RETURNING 1`,
      [accountId, id],
    );
    return rows.length > 0;
  }

  async #find(id: string): Promise<CreditRequest | undefined> {
    const [row] = await this.#database.query<CreditRequestRow>(`${SELECT} WHERE r.id = $1`, [id]);
    return row && creditRequestOf(row);
  }
}

function creditRequestOf(row: CreditRequestRow): CreditRequest {
  const state = CREDIT_REQUEST_STATES.find((known) => known === row.state);
  if (state === undefined) throw new Error(`The store holds the state "${row.state}", which there is not.`);
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    balance: row.balance,
    email: row.email ?? undefined,
    message: row.message,
    state,
    amount: row.amount ?? undefined,
    reply: row.reply ?? undefined,
    createdAt: row.created_at,
    decidedAt: row.decided_at ?? undefined,
  };
}
