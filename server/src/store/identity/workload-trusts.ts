import type {
  ClaimCondition,
  WorkloadTrust,
  WorkloadTrustDraft,
  WorkloadTrustStore,
} from "../../identity/workloads/workload-trust.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

type TrustRow = Omit<Row<"workload_trusts">, "conditions"> & { conditions: readonly ClaimCondition[] };

/** Whose tokens service accounts give secrets for, in PostgreSQL. */
export class PostgresWorkloadTrusts implements WorkloadTrustStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(accountId: string, serviceAccountId: string): Promise<WorkloadTrust[]> {
    const rows = await this.#database.query<TrustRow>(
      "SELECT * FROM workload_trusts WHERE account_id = $1 AND key_id = $2 ORDER BY id",
      [accountId, serviceAccountId],
    );
    return rows.map(trustOf);
  }

  async create(accountId: string, serviceAccountId: string, id: string, draft: WorkloadTrustDraft): Promise<void> {
    const { name, issuer, audience, conditions, lifetimeSeconds } = draft;
    await this.#database.query(
      `INSERT INTO workload_trusts (id, account_id, key_id, name, issuer, audience, conditions, lifetime_seconds)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, accountId, serviceAccountId, name, issuer, audience, JSON.stringify(conditions), lifetimeSeconds],
    );
  }

  async remove(accountId: string, serviceAccountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query(
      "DELETE FROM workload_trusts WHERE account_id = $1 AND key_id = $2 AND id::text = $3 RETURNING 1",
      [accountId, serviceAccountId, id],
    );
    return rows.length > 0;
  }

  async removeAll(accountId: string, serviceAccountId: string): Promise<void> {
    await this.#database.query("DELETE FROM workload_trusts WHERE account_id = $1 AND key_id = $2", [
      accountId,
      serviceAccountId,
    ]);
  }

  async findFor(serviceAccountId: string, issuer: string): Promise<WorkloadTrust[]> {
    const rows = await this.#database.query<TrustRow>(
      `SELECT t.* FROM workload_trusts t JOIN api_keys k ON k.id = t.key_id
       WHERE t.key_id = $1 AND t.issuer = $2 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
       ORDER BY t.id`,
      [serviceAccountId, issuer],
    );
    return rows.map(trustOf);
  }

  async addSecret(
    { id, serviceAccountId }: WorkloadTrust,
    { hash, hint }: { readonly hash: string; readonly hint: string },
    expiresAt: Date,
  ): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      // The lock makes a removal of the trust wait, or be seen.
      const used = await connection.query(
        `UPDATE workload_trusts t SET last_used_at = now() FROM api_keys k
         WHERE t.id = $1 AND k.id = t.key_id AND k.revoked_at IS NULL RETURNING 1`,
        [id],
      );
      if (used.length === 0) return false;
      await connection.query(
        "INSERT INTO api_key_secrets (hash, key_id, hint, created_at, expires_at) VALUES ($1, $2, $3, clock_timestamp(), $4)",
        [Buffer.from(hash, "hex"), serviceAccountId, hint, expiresAt],
      );
      return true;
    });
  }

  /** Deletes the secrets of service accounts that ended more than a day ago. */
  async sweep(): Promise<void> {
    await this.#database.query(
      `DELETE FROM api_key_secrets s USING api_keys k
       WHERE k.id = s.key_id AND k.service_account AND s.expires_at < now() - interval '1 day'`,
    );
  }
}

function trustOf(row: TrustRow): WorkloadTrust {
  return {
    id: row.id,
    accountId: row.account_id,
    serviceAccountId: row.key_id,
    name: row.name,
    issuer: row.issuer,
    audience: row.audience,
    conditions: row.conditions,
    lifetimeSeconds: row.lifetime_seconds,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
