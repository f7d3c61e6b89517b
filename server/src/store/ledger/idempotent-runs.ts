import { Fault } from "@trunkline/core/fault.ts";
import type { Claim, ClaimOutcome, IdempotentRunStore } from "../../ledger/billing/idempotent-run.ts";
import type { Database } from "../database/database.ts";
import { ACCOUNT_IS_HERE, AccountElsewhere } from "./account-gate.ts";

const RETENTION = "24 hours";
const RELEASE_RETRY_MS = 500;

/** Idempotency keys in PostgreSQL: over all instances, the primary key decides which request runs. */
export class PostgresIdempotentRuns implements IdempotentRunStore {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #reclaimDeadInstances: () => Promise<number>;
  readonly #mayLeave: boolean;
  /** Runs that are over, by request id, whose keys could not be freed because the store was away. */
  readonly #pendingReleases = new Map<string, Claim>();
  #releaseIsScheduled = false;

  /**
   * `reclaimDeadInstances` frees the keys of runs that ended with their instance, and returns the number of those instances.
   * `mayLeave`: accounts may be moved to another database, and a run of one that has gone is refused.
   */
  constructor(
    database: Database,
    instanceId: string,
    reclaimDeadInstances: () => Promise<number> = async () => 0,
    mayLeave = false,
  ) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#reclaimDeadInstances = reclaimDeadInstances;
    this.#mayLeave = mayLeave;
  }

  async claim(claim: Claim): Promise<ClaimOutcome> {
    const outcome = await this.#claim(claim);
    // The run may have ended with its instance: a client that tries again after a crash must not be refused.
    if (outcome.kind !== "running" || (await this.#reclaimDeadInstances()) === 0) return outcome;
    return this.#claim(claim);
  }

  async #claim(claim: Claim): Promise<ClaimOutcome> {
    // Where the store's answer was lost, the key may be claimed for a run that will never start.
    const row = await this.#insertClaim(claim).catch((error: unknown) => this.#releaseLater(claim, error));
    if (row === undefined || row.mine) return { kind: "mine" };
    if (row.old === true) {
      await this.sweep();
      return this.#claim(claim);
    }
    if (row.same === null && row.elsewhere) throw new AccountElsewhere();
    return outcomeOf(row);
  }

  /** What is known of a key that was claimed here before its account has left; undefined: nothing. */
  async find(claim: Claim): Promise<ClaimOutcome | undefined> {
    const outcome = await this.#find(claim);
    if (outcome?.kind !== "running" || (await this.#reclaimDeadInstances()) === 0) return outcome;
    return this.#find(claim);
  }

  async #find({ accountId, path, key, fingerprint }: Claim): Promise<ClaimOutcome | undefined> {
    const [row] = await this.#database.query<{ same: boolean; answer: unknown }>(
      `SELECT fingerprint = $4 AS same, answer FROM idempotency_keys
       WHERE account_id = $1 AND path = $2 AND key = $3 AND created_at >= now() - interval '${RETENTION}'`,
      [accountId, path, key, fingerprint],
    );
    return row && outcomeOf(row);
  }

  async abandon(claim: Claim): Promise<void> {
    await this.#deleteClaim(claim).catch((error: unknown) => this.#releaseLater(claim, error));
  }

  /** Deletes keys that are older than a day. */
  async sweep(): Promise<void> {
    await this.#database.query(`DELETE FROM idempotency_keys WHERE created_at < now() - interval '${RETENTION}'`);
  }

  async #insertClaim(claim: Claim) {
    const rows = await this.#database.query<{
      mine: boolean;
      same: boolean | null;
      old: boolean | null;
      answer: unknown;
      elsewhere: boolean;
    }>(
      `WITH claimed AS (
         INSERT INTO idempotency_keys (account_id, path, key, fingerprint, instance_id, request_id)
         ${this.#mayLeave ? `SELECT $1, $2, $3, $4, $5, $6 FROM (${ACCOUNT_IS_HERE}) AS here` : "VALUES ($1, $2, $3, $4, $5, $6)"}
         ON CONFLICT DO NOTHING RETURNING true
       )
       SELECT EXISTS (SELECT 1 FROM claimed) AS mine, k.fingerprint = $4 AS same, k.answer,
         ${this.#mayLeave ? "EXISTS (SELECT 1 FROM accounts WHERE id = $1 AND left_at IS NOT NULL)" : "false"} AS elsewhere,
         k.created_at < now() - interval '${RETENTION}' AS old
       FROM (SELECT 1) one LEFT JOIN idempotency_keys k ON k.account_id = $1 AND k.path = $2 AND k.key = $3`,
      [claim.accountId, claim.path, claim.key, claim.fingerprint, this.#instanceId, claim.requestId],
    );
    return rows[0];
  }

  async #deleteClaim(claim: Claim): Promise<void> {
    await this.#database.query(
      "DELETE FROM idempotency_keys WHERE account_id = $1 AND path = $2 AND key = $3 AND request_id = $4 AND answer IS NULL",
      [claim.accountId, claim.path, claim.key, claim.requestId],
    );
  }

  /** No other instance frees the key while this one lives, so it is retried until the store is back. */
  #releaseLater(claim: Claim, error: unknown): never {
    if (error instanceof Fault && error.type === "unavailable") {
      this.#pendingReleases.set(claim.requestId, claim);
      if (!this.#releaseIsScheduled) setTimeout(() => void this.#releasePending(), RELEASE_RETRY_MS).unref();
      this.#releaseIsScheduled = true;
    }
    throw error;
  }

  async #releasePending(): Promise<void> {
    this.#releaseIsScheduled = false;
    for (const claim of [...this.#pendingReleases.values()]) {
      this.#pendingReleases.delete(claim.requestId);
      try {
        await this.abandon(claim);
      } catch {
        // Still away: the key waits again, and the rest for the next attempt.
        if (this.#pendingReleases.has(claim.requestId)) return;
      }
    }
  }
}

function outcomeOf({ same, answer }: { readonly same: boolean | null; readonly answer: unknown }): ClaimOutcome {
  if (same === false) return { kind: "mismatch" };
  // Without a visible row it was claimed a moment ago, so it is running.
  return answer === null ? { kind: "running" } : { kind: "answered", answer };
}
