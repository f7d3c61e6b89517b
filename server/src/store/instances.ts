import type pg from "pg";
import type { Database, Queryable } from "./database.ts";

/** How long to wait before the next try to come back. */
const RETURN_MS = 250;

/**
 * This process among those that share the database. It holds an advisory lock on a connection of its own for as long
 * as it lives; an instance whose lock can be taken is dead, and what it had leased goes back to its owners.
 * A living one that loses its connection may be taken for dead: it comes back under its own name and is told so.
 */
export class Instance {
  readonly id: string;
  readonly #database: Database;
  readonly #onReturn: () => void;
  #connection: pg.Client | undefined;
  #leaving = false;

  private constructor(id: string, database: Database, onReturn: () => void) {
    this.id = id;
    this.#database = database;
    this.#onReturn = onReturn;
  }

  /** `onReturn` is called when it may have been taken for dead meanwhile: whatever it had leased must be looked up anew. */
  static async register(
    database: Database,
    id: string,
    onReturn: () => void = () => undefined,
  ): Promise<Instance> {
    const instance = new Instance(id, database, onReturn);
    await instance.#enter();
    return instance;
  }

  async #enter(): Promise<void> {
    const connection = await this.#database.connect();
    try {
      // The lock comes before the row is visible to others: nobody may find a living instance unlocked.
      await connection.query("BEGIN");
      const { rows } = await connection.query<{ lock_key: bigint }>(
        "INSERT INTO instances (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id RETURNING lock_key",
        [this.id],
      );
      await connection.query("SELECT pg_advisory_lock($1, $2)", [LOCK_SPACE, Number(rows[0]?.lock_key)]);
      await connection.query("COMMIT");
    } catch (error) {
      await connection.end().catch(() => undefined);
      throw error;
    }
    this.#connection = connection;
    connection.once("end", () => this.#comeBack());
  }

  #comeBack(): void {
    if (this.#leaving) return;
    this.#enter().then(this.#onReturn, () => {
      setTimeout(() => this.#comeBack(), RETURN_MS).unref();
    });
  }

  /** Returns what dead instances had leased, and frees the idempotency keys whose runs died with them. */
  async buryTheDead(): Promise<number> {
    const others = await this.#database.query<{ id: string; lock_key: bigint }>(
      "SELECT id, lock_key FROM instances WHERE id <> $1",
      [this.id],
    );
    let buried = 0;
    for (const other of others) {
      buried += await this.#database.transaction(async (connection) => {
        const locked = await connection.query<{ taken: boolean }>(
          "SELECT pg_try_advisory_xact_lock($1, $2) AS taken",
          [LOCK_SPACE, Number(other.lock_key)],
        );
        if (locked[0]?.taken !== true) return 0;
        await returnLeases(connection, other.id);
        await connection.query("DELETE FROM idempotency_keys WHERE instance_id = $1 AND answer IS NULL", [
          other.id,
        ]);
        await connection.query("DELETE FROM instances WHERE id = $1", [other.id]);
        return 1;
      });
    }
    return buried;
  }

  /** The orderly end: every slice goes back where it came from. */
  async leave(): Promise<void> {
    this.#leaving = true;
    await this.#database.transaction(async (connection) => {
      await returnLeases(connection, this.id);
      await connection.query("DELETE FROM idempotency_keys WHERE instance_id = $1 AND answer IS NULL", [
        this.id,
      ]);
      await connection.query("DELETE FROM instances WHERE id = $1", [this.id]);
    });
    await this.#connection?.end();
  }
}

/** The first half of the advisory locks' two-part keys; the second is the instance's own number. */
const LOCK_SPACE = 7_215;

async function returnLeases(connection: Queryable, instanceId: string): Promise<void> {
  // Locked in a statement of its own, so that the next one sees what every charge on its way has left.
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
}
