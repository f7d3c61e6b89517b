import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { BegunPayout, Payout, PayoutFilter, PayoutState, PayoutStore } from "../../ledger/payouts/payouts.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

/** Payouts in PostgreSQL. */
export class PostgresPayouts implements PayoutStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  begin(accountId: string, amount: NanoCredits | undefined, minimum: NanoCredits): Promise<BegunPayout> {
    return this.#database.transaction(async (connection) => {
      const terms = await lockTerms(connection, accountId);
      if (terms?.payout_destination === undefined || terms.payout_destination === null) {
        return { outcome: "no_destination" };
      }
      const open = await connection.query(
        "SELECT 1 FROM payouts WHERE account_id = $1 AND state IN ('requested', 'approved', 'sending')",
        [accountId],
      );
      if (open.length > 0) return { outcome: "open" };
      const rows = await connection.query<Row<"ledger_accounts", "balance">>(
        "SELECT balance FROM ledger_accounts WHERE kind = 'payable' AND account_id = $1 FOR UPDATE",
        [accountId],
      );
      const payable = rows[0]?.balance ?? 0n;
      const taken = amount ?? payable;
      if (taken < minimum || taken > payable || taken === 0n) return { outcome: "too_little", payable };
      const id = newId();
      const transferId = await movePayout(connection, "payout_begun", { id, account_id: accountId, amount: taken });
      await connection.query(
        `INSERT INTO payouts (id, account_id, amount, method, destination, begun_transfer) VALUES ($1, $2, $3, $4, $5, $6)`,
        [id, accountId, taken, terms.payout_method, terms.payout_destination, transferId],
      );
      return { outcome: "begun", payout: await requirePayout(connection, id) };
    });
  }

  find(id: string): Promise<Payout | undefined> {
    return findPayout(this.#database, id);
  }

  async list(filter: PayoutFilter, limit: number, cursor: string | undefined): Promise<Payout[]> {
    const rows = await readPage<PayoutRow>(
      this.#database,
      `${PAYOUTS} WHERE ($1::uuid IS NULL OR p.account_id = $1) AND ($2::text IS NULL OR p.state = $2)`,
      [filter.accountId ?? null, filter.state ?? null],
      { limit, cursor },
      "p.id",
    );
    return rows.map(payoutOf);
  }

  approve(id: string): Promise<Payout | undefined> {
    return this.#database.transaction(async (connection) => {
      await connection.query(
        "UPDATE payouts SET state = 'approved', approved_at = now() WHERE id = $1 AND state = 'requested'",
        [id],
      );
      return findPayout(connection, id);
    });
  }

  async end(
    id: string,
    { state, reference, from }: Parameters<PayoutStore["end"]>[1],
  ): Promise<Payout | undefined | "reference_taken"> {
    try {
      return await this.#database.transaction((connection) => endPayout(connection, id, state, reference, from));
    } catch (error) {
      if (isReferenceTaken(error)) return "reference_taken";
      throw error;
    }
  }
}

function isReferenceTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === "payouts_one_reference";
}

/** Ends a payout within a transaction. The lock on the provider's terms is taken before those on the ledger's accounts. */
export async function endPayout(
  connection: Queryable,
  id: string,
  state: "sent" | "failed",
  reference: string,
  from: readonly PayoutState[],
): Promise<Payout | undefined> {
  const found = await connection.query<Row<"payouts", "account_id">>("SELECT account_id FROM payouts WHERE id = $1", [
    id,
  ]);
  if (found[0] === undefined) return undefined;
  await lockTerms(connection, found[0].account_id);
  const rows = await connection.query<Row<"payouts", "id" | "account_id" | "amount">>(
    "SELECT id, account_id, amount FROM payouts WHERE id = $1 AND state = ANY ($2::text[]) FOR UPDATE",
    [id, from],
  );
  const payout = rows[0];
  if (payout !== undefined) {
    const transferId = await movePayout(connection, state === "sent" ? "payout_sent" : "payout_failed", payout);
    await connection.query(
      "UPDATE payouts SET state = $2, reference = $3, ended_transfer = $4, ended_at = now() WHERE id = $1",
      [id, state, reference, transferId],
    );
  }
  return findPayout(connection, id);
}

async function lockTerms(connection: Queryable, accountId: string) {
  const rows = await connection.query<Row<"provider_terms", "payout_method" | "payout_destination">>(
    "SELECT payout_method, payout_destination FROM provider_terms WHERE account_id = $1 FOR UPDATE",
    [accountId],
  );
  return rows[0];
}

const WAYS = {
  payout_begun: ["payable", "payout"],
  payout_sent: ["payout", "paid_out"],
  payout_failed: ["payout", "payable"],
} as const;

/** Moves a payout's amount, by double entry. Returns the transfer's id. */
async function movePayout(
  connection: Queryable,
  kind: keyof typeof WAYS,
  payout: Row<"payouts", "id" | "account_id" | "amount">,
): Promise<bigint> {
  const [source, target] = WAYS[kind];
  if (target === "payout") {
    await connection.query(
      "INSERT INTO ledger_accounts (kind, account_id) VALUES ('payout', $1) ON CONFLICT (account_id) WHERE kind = 'payout' DO NOTHING",
      [payout.account_id],
    );
  }
  const rows = await connection.query<Row<"ledger_transfers", "id">>(
    `WITH source AS (
       UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE kind = $3 AND account_id = $1 RETURNING id
     ), target AS (
       UPDATE ledger_accounts SET balance = balance + $2::bigint
       WHERE kind = $4 AND account_id IS NOT DISTINCT FROM CASE WHEN $4 = 'paid_out' THEN NULL ELSE $1::uuid END RETURNING id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
     SELECT $5, source.id, target.id, $2::bigint, $6 FROM source, target RETURNING id`,
    [payout.account_id, payout.amount, source, target, kind, `Payout ${payout.id}`],
  );
  if (rows[0] === undefined) throw new Error(`The ledger has no account \`${source}\` or \`${target}\` of a provider.`);
  return rows[0].id;
}

type PayoutRow = Row<"payouts"> & Row<"accounts", "name"> & Row<"provider_terms", "destination_changed_at">;

const PAYOUTS = `SELECT p.*, a.name, t.destination_changed_at FROM payouts p
  JOIN accounts a ON a.id = p.account_id LEFT JOIN provider_terms t ON t.account_id = p.account_id`;

async function findPayout(connection: Queryable, id: string): Promise<Payout | undefined> {
  const rows = await connection.query<PayoutRow>(`${PAYOUTS} WHERE p.id = $1`, [id]);
  return rows[0] && payoutOf(rows[0]);
}

async function requirePayout(connection: Queryable, id: string): Promise<Payout> {
  const payout = await findPayout(connection, id);
  if (payout === undefined) throw new Error("A payout that was begun is not there.");
  return payout;
}

function payoutOf(row: PayoutRow): Payout {
  return {
    id: row.id,
    accountId: row.account_id,
    account: row.name,
    amount: row.amount,
    method: row.method === "token" ? "token" : "bank",
    destination: row.destination,
    destinationChangedAt: row.destination_changed_at ?? undefined,
    // The table allows no other.
    state: row.state as PayoutState,
    reference: row.reference ?? undefined,
    createdAt: row.created_at,
    approvedAt: row.approved_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}
