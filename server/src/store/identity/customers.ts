import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database } from "../database/database.ts";

/** An account as the operator sees it. */
export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly operator: boolean;
  readonly created_at: Date;
  readonly suspended_at: Date | null;
  /** Its owner has closed it; what is on record stays. */
  readonly closed_at: Date | null;
  readonly balance: NanoCredits;
  readonly spent: NanoCredits;
  readonly requests: bigint;
  readonly members: bigint;
  readonly owner: string | null;
  readonly models: bigint;
}

export interface CustomerFilter {
  /** Part of a name, of a provider's name or of a member's address, or an id. */
  readonly text?: string | undefined;
  readonly state?: "active" | "suspended" | undefined;
}

const SELECT_CUSTOMER = `
  SELECT a.id, a.name, a.provider, a.operator, a.created_at, a.suspended_at, a.closed_at,
    coalesce((SELECT sum(balance) FROM ledger_accounts l WHERE l.account_id = a.id), 0)::bigint AS balance,
    coalesce(used.cost, 0)::bigint AS spent, coalesce(used.requests, 0)::bigint AS requests,
    (SELECT count(*) FROM members m WHERE m.account_id = a.id) AS members,
    (SELECT p.email FROM members m JOIN people p ON p.id = m.person_id
     WHERE m.account_id = a.id AND m.role = 'owner' ORDER BY m.created_at LIMIT 1) AS owner,
    (SELECT count(*) FROM models o WHERE o.account_id = a.id AND o.deleted_at IS NULL) AS models
  FROM accounts a LEFT JOIN LATERAL (
    SELECT sum(cost) AS cost, sum(requests) AS requests FROM usage_quarters u
    WHERE u.account_id = a.id AND u.quarter >= now() - interval '30 days'
  ) AS used ON true`;

/** All accounts, for the operator. */
export class PostgresCustomers {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(filter: CustomerFilter, limit: number, cursor: string | undefined): Promise<Customer[]> {
    return this.#database.query<Customer>(
      `${SELECT_CUSTOMER}
       WHERE ($1::uuid IS NULL OR a.id < $1)
         AND ($2::text IS NULL OR strpos(lower(a.name), $2) > 0 OR strpos(a.provider, $2) > 0 OR a.id::text = $2 OR EXISTS (
           SELECT 1 FROM members m JOIN people p ON p.id = m.person_id
           WHERE m.account_id = a.id AND strpos(lower(p.email), $2) > 0))
         AND ($3::boolean IS NULL OR (a.suspended_at IS NOT NULL) = $3)
       ORDER BY a.id DESC LIMIT $4`,
      [
        cursor ?? null,
        filter.text?.toLowerCase() ?? null,
        filter.state === undefined ? null : filter.state === "suspended",
        limit,
      ],
    );
  }

  async find(id: string): Promise<Customer | undefined> {
    const rows = await this.#database.query<Customer>(`${SELECT_CUSTOMER} WHERE a.id = $1`, [id]);
    return rows[0];
  }

  async change(
    id: string,
    change: { name?: string | undefined; suspended?: boolean | undefined },
  ): Promise<void> {
    await this.#database.query(
      `UPDATE accounts SET name = coalesce($2::text, name),
         suspended_at = CASE WHEN $3::boolean IS NULL THEN suspended_at WHEN $3 THEN coalesce(suspended_at, now()) END WHERE id = $1`,
      [id, change.name ?? null, change.suspended ?? null],
    );
  }
}
