import type pg from "pg";
import { type Database, type Queryable, startHeartbeat, type TimeObserver } from "./database/database.ts";
import type { Row } from "./database/rows.ts";
import { settleDebts } from "./ledger/debts.ts";
import { mergeSomeUsage } from "./usage/usage-rollups.ts";

/** How long to wait before the next attempt to reconnect. */
const RECONNECT_MS = 250;

/**
 * This process among those that share the database. It holds an advisory lock on a connection of its own for as long
 * as it lives; an instance whose lock can be taken is dead, and its leases are returned. A living instance that loses its
 * connection may be taken for dead: it registers again under its own id, and `onReturn` is called.
 */
export class Instance {
  readonly id: string;
  readonly #database: Database;
  readonly #onReturn: () => void;
  readonly #timeObserver: TimeObserver | undefined;
  #connection: pg.Client | undefined;
  #leaving = false;
  /** Instances whose lock was free at the last check. */
  #suspects: ReadonlySet<string> = new Set();
  #reclaiming: Promise<number> | undefined;

  private constructor(id: string, database: Database, onReturn: () => void, timeObserver: TimeObserver | undefined) {
    this.#timeObserver = timeObserver;
    this.id = id;
    this.#database = database;
    this.#onReturn = onReturn;
  }

  /**
   * `onReturn` is called when the instance may have been taken for dead meanwhile: its leases must be read again.
   * `timeObserver` is told the store's time at each heartbeat.
   */
  static async register(
    database: Database,
    id: string,
    onReturn: () => void = () => undefined,
    timeObserver?: TimeObserver,
  ): Promise<Instance> {
    const instance = new Instance(id, database, onReturn, timeObserver);
    await instance.#connect();
    return instance;
  }

  async #connect(): Promise<void> {
    const connection = await this.#database.connect("instance");
    try {
      // A machine that is gone closes no connection: the server finds out by keep-alive probes, and frees the lock.
      await connection.query(
        "SELECT set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)",
      );
      // The lock is taken before the row is visible: no other instance may find a living one unlocked.
      await connection.query("BEGIN");
      const { rows } = await connection.query<Row<"instances", "lock_key">>(
        "INSERT INTO instances (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id RETURNING lock_key",
        [this.id],
      );
      await connection.query("SELECT pg_advisory_lock($1, $2)", [INSTANCE_LOCK_SPACE, Number(rows[0]?.lock_key)]);
      await connection.query("COMMIT");
    } catch (error) {
      await connection.end().catch(() => undefined);
      throw error;
    }
    this.#connection = connection;
    const pulse = startHeartbeat(connection, this.#timeObserver);
    connection.once("end", () => {
      clearInterval(pulse);
      this.#reconnect();
    });
  }

  #reconnect(): void {
    if (this.#leaving) return;
    this.#connect().then(this.#onReturn, () => {
      setTimeout(() => this.#reconnect(), RECONNECT_MS).unref();
    });
  }

  /**
   * Returns the leases of dead instances, and frees the idempotency keys whose runs ended with them.
   * Concurrent callers share one pass.
   */
  reclaimDeadInstances(): Promise<number> {
    this.#reclaiming ??= this.#reclaim(() => true).finally(() => {
      this.#reclaiming = undefined;
    });
    return this.#reclaiming;
  }

  /**
   * The same for instances whose lock was free at the last check too. After an outage of PostgreSQL the others are alive
   * and reconnecting.
   */
  async reclaimLongDeadInstances(): Promise<number> {
    const suspected = this.#suspects;
    return this.#reclaim((id) => suspected.has(id));
  }

  async #reclaim(isDead: (id: string) => boolean): Promise<number> {
    const others = await this.#database.query<Row<"instances", "id" | "lock_key">>(
      "SELECT id, lock_key FROM instances WHERE id <> $1",
      [this.id],
    );
    const unlocked = new Set<string>();
    let reclaimed = 0;
    for (const other of others) {
      await this.#database.transaction(async (connection) => {
        const locked = await connection.query<{ taken: boolean }>("SELECT pg_try_advisory_xact_lock($1, $2) AS taken", [
          INSTANCE_LOCK_SPACE,
          Number(other.lock_key),
        ]);
        if (locked[0]?.taken !== true) return;
        // It may have been reclaimed meanwhile and have registered again with another lock, or be about to.
        const same = await connection.query(
          "SELECT 1 FROM instances WHERE id = $1 AND lock_key = $2 FOR UPDATE SKIP LOCKED",
          [other.id, other.lock_key],
        );
        if (same.length === 0) return;
        unlocked.add(other.id);
        if (!isDead(other.id)) return;
        await releaseInstance(connection, other.id);
        reclaimed++;
      });
    }
    this.#suspects = unlocked;
    return reclaimed;
  }

  /** Returns the leases of instances that are not registered, which would never be reclaimed otherwise. */
  async returnOrphanedLeases(): Promise<void> {
    const orphans = await this.#database.query<{ id: string }>(
      `SELECT id FROM (
         SELECT instance_id AS id FROM ledger_accounts WHERE kind = 'lease' AND balance > 0
         UNION SELECT instance_id FROM budget_leases WHERE amount > 0
         UNION SELECT instance_id FROM account_budget_leases WHERE amount > 0
       ) leases WHERE NOT EXISTS (SELECT 1 FROM instances WHERE instances.id = leases.id)`,
    );
    for (const { id } of orphans) {
      await this.#database.transaction(async (connection) => {
        // An instance that was only taken for dead may have come back meanwhile.
        const back = await connection.query("SELECT 1 FROM instances WHERE id = $1 FOR UPDATE", [id]);
        if (back.length === 0) await releaseInstance(connection, id);
      });
    }
  }

  /** Ends the registration in order: all leases are returned. */
  async deregister(): Promise<void> {
    this.#leaving = true;
    try {
      await this.#database.transaction((connection) => releaseInstance(connection, this.id));
    } finally {
      await this.#connection?.end();
    }
  }
}

/** The first half of the advisory locks' two-part keys; the second is the instance's own number. */
export const INSTANCE_LOCK_SPACE = 7_215;

/** Deletes an instance: returns its leases and frees the idempotency keys of its runs. */
export async function releaseInstance(connection: Queryable, instanceId: string): Promise<void> {
  // The row first, so that nothing more is leased in its name; then the keys, as charges lock these before leases.
  await connection.query("DELETE FROM instances WHERE id = $1", [instanceId]);
  await connection.query("DELETE FROM idempotency_keys WHERE instance_id = $1 AND answer IS NULL", [instanceId]);
  await returnBalanceLeases(connection, instanceId);
  for (const table of ["budget_leases", "account_budget_leases"]) {
    await connection.query(`UPDATE ${table} SET amount = 0, touched_at = now() WHERE instance_id = $1 AND amount > 0`, [
      instanceId,
    ]);
  }
  await connection.query("UPDATE batches SET lease_by = NULL WHERE lease_by = $1", [instanceId]);
  // What is left of many rows is merged later: this must not take longer than a start may.
  await mergeSomeUsage(connection, instanceId);
}

async function returnBalanceLeases(connection: Queryable, instanceId: string): Promise<void> {
  // Locks in statements of their own, balances first as everywhere, so that the last statement sees what concurrent
  // charges have left.
  const customers = await connection.query<{ account_id: string }>(
    `SELECT account_id FROM ledger_accounts WHERE kind = 'customer' AND account_id IN (
       SELECT account_id FROM ledger_accounts WHERE kind = 'lease' AND instance_id = $1 AND balance > 0
     ) ORDER BY id FOR UPDATE`,
    [instanceId],
  );
  await connection.query(
    "SELECT 1 FROM ledger_accounts WHERE kind = 'lease' AND instance_id = $1 ORDER BY id FOR UPDATE",
    [instanceId],
  );
  await connection.query(
    `WITH lease AS (
       SELECT id, account_id, balance FROM ledger_accounts WHERE kind = 'lease' AND instance_id = $1 AND balance > 0
     ), emptied AS (
       UPDATE ledger_accounts a SET balance = 0 FROM lease WHERE a.id = lease.id
     ), refilled AS (
       UPDATE ledger_accounts a SET balance = a.balance + lease.balance FROM lease
       WHERE a.kind = 'customer' AND a.account_id = lease.account_id RETURNING a.id, a.account_id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount)
     SELECT 'lease_return', lease.id, refilled.id, lease.balance FROM lease JOIN refilled USING (account_id)`,
    [instanceId],
  );
  await settleDebts(
    connection,
    customers.map(({ account_id: accountId }) => accountId),
  );
}
