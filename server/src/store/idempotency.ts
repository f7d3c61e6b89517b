import type { Claim, ClaimOutcome, RunStore } from "../billing/runs.ts";
import type { Database } from "./database.ts";

const KEPT_FOR = "24 hours";

/** Idempotency keys in PostgreSQL: the primary key decides who runs, on however many instances. */
export class PostgresRuns implements RunStore {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #buryTheDead: () => Promise<number>;

  /** `buryTheDead` frees the keys of runs that died with their instance, and answers how many of those there were. */
  constructor(database: Database, instanceId: string, buryTheDead: () => Promise<number> = async () => 0) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#buryTheDead = buryTheDead;
  }

  async claim(claim: Claim): Promise<ClaimOutcome> {
    const outcome = await this.#claim(claim);
    // It may be running on an instance that is no more: a client that tries again after a crash is not sent away.
    if (outcome.kind !== "running" || (await this.#buryTheDead()) === 0) return outcome;
    return this.#claim(claim);
  }

  async #claim(claim: Claim): Promise<ClaimOutcome> {
    const rows = await this.#database.query<{
      mine: boolean;
      same: boolean | null;
      old: boolean | null;
      answer: unknown;
    }>(
      `WITH claimed AS (
         INSERT INTO idempotency_keys (account_id, path, key, fingerprint, instance_id, request_id)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING true
       )
       SELECT EXISTS (SELECT 1 FROM claimed) AS mine, k.fingerprint = $4 AS same, k.answer,
         k.created_at < now() - interval '${KEPT_FOR}' AS old
       FROM (SELECT 1) one LEFT JOIN idempotency_keys k ON k.account_id = $1 AND k.path = $2 AND k.key = $3`,
      [claim.accountId, claim.path, claim.key, claim.fingerprint, this.#instanceId, claim.requestId],
    );
    const row = rows[0];
    if (row === undefined || row.mine) return { kind: "mine" };
    if (row.old === true) {
      await this.sweep();
      return this.#claim(claim);
    }
    if (row.same === false) return { kind: "mismatch" };
    // No row seen although the insert met one: it was claimed a moment ago, so it is running.
    return row.answer === null ? { kind: "running" } : { kind: "answered", answer: row.answer };
  }

  async abandon(claim: Claim): Promise<void> {
    await this.#database.query(
      "DELETE FROM idempotency_keys WHERE account_id = $1 AND path = $2 AND key = $3 AND request_id = $4 AND answer IS NULL",
      [claim.accountId, claim.path, claim.key, claim.requestId],
    );
  }

  /** Forgets what is older than a day. */
  async sweep(): Promise<void> {
    await this.#database.query(
      `DELETE FROM idempotency_keys WHERE created_at < now() - interval '${KEPT_FOR}'`,
    );
  }
}
