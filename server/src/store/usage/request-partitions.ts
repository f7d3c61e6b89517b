import { timeOfId } from "@trunkline/core/id.ts";
import type { Database, Queryable } from "../database/database.ts";

/** The number of an advisory lock: one instance changes the partitions at a time. */
const PARTITIONING_LOCK = 7_215_733_110;

/** How many months after the present one have their partition. */
const MONTHS_AHEAD = 2;

/**
 * For how long the lock of the whole table is waited for. Whatever comes to the table meanwhile waits behind it, charges
 * included, so that a long read puts the change off rather than the charges.
 */
const LOCK_WAIT_MS = 300;

/** A constraint on ids that end sooner than this could refuse records before the conversion is over. */
const CONVERSION_DAYS = 14;

const DAY_MS = 86_400_000;

/**
 * Keeps the table of requests in partitions by month: makes those of the coming months, and drops those whose records were
 * all archived. A large table of an earlier version becomes the first partition while the service runs.
 */
export class RequestPartitions {
  readonly #database: Database;
  #running: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** One run at a time, in this process and in all. What could not be locked in time is left for the next run. */
  run(now: number): Promise<void> {
    this.#running ??= this.#maintain(now).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #maintain(now: number): Promise<void> {
    if (!(await isPartitioned(this.#database))) return this.#convert(now);
    const partitions = await this.#database.query<Partition>("SELECT * FROM request_partitions() ORDER BY end_id");
    const until = lastMonthAhead(now);
    const later = partitions.find(({ end_id: end }) => end === null);
    if (later?.first_id !== null && later !== undefined && timeOfId(later.first_id) <= until)
      await this.#change((connection) =>
        connection.query("SELECT make_request_partitions($1)", [new Date(until).toISOString()]),
      );
    const [horizon] = await this.#database.query<{ first_kept: string }>("SELECT first_kept FROM request_horizon");
    for (const { name, first_id: first, end_id: end } of partitions)
      if (end !== null && horizon !== undefined && end <= horizon.first_kept)
        await this.#change((connection) =>
          first === null ? emptyFirst(connection) : connection.query("SELECT drop_request_partition($1)", [name]),
        );
  }

  /**
   * The old table becomes the first partition. PostgreSQL has to know that no other id is in it: a constraint says so, and is
   * checked while requests go on.
   */
  async #convert(now: number): Promise<void> {
    const client = await this.#database.connect("partitions");
    try {
      const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS mine", [PARTITIONING_LOCK]);
      if (rows[0]?.mine !== true) return;
      let bound = await readConversion(this.#database);
      // A conversion of long ago was broken off: ids near its bound would be refused.
      if (bound !== undefined && bound.endMs < now + CONVERSION_DAYS * DAY_MS) {
        if (!(await this.#attempt("ALTER TABLE requests DROP CONSTRAINT requests_range"))) return;
        bound = undefined;
      }
      if (bound === undefined) {
        const end = `first_request_id((date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC')`;
        const add = `DO $$ BEGIN EXECUTE format('ALTER TABLE requests ADD CONSTRAINT requests_range CHECK (id < %L) NOT VALID', ${end}); END $$`;
        if (!(await this.#attempt(add))) return;
        bound = await readConversion(this.#database);
      }
      // Reads every row, and keeps neither reads nor writes waiting.
      if (bound?.isValid === false) await client.query("ALTER TABLE requests VALIDATE CONSTRAINT requests_range");
      const until = new Date(bound?.endMs ?? now).toISOString();
      if (!(await this.#attempt(`SELECT partition_requests('${until}')`))) return;
      await this.#database.query("ANALYZE requests");
    } finally {
      // The lock goes with its connection.
      await client.end();
    }
    await this.#maintain(now);
  }

  /** Runs one statement. False where the table was in use for too long. */
  #attempt(statement: string): Promise<boolean> {
    return withShortLocks(this.#database, (connection) => connection.query(statement));
  }

  /** The same for several statements, where no other instance is about to do so. */
  #change(work: (connection: Queryable) => Promise<unknown>): Promise<boolean> {
    return withShortLocks(this.#database, async (connection) => {
      const [lock] = await connection.query<{ mine: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS mine", [
        PARTITIONING_LOCK,
      ]);
      if (lock?.mine === true) await work(connection);
    });
  }
}

interface Partition {
  readonly name: string;
  /** null: it has no such bound. */
  readonly first_id: string | null;
  readonly end_id: string | null;
}

/** The beginning of the last month that has its partition ahead of time. */
function lastMonthAhead(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + MONTHS_AHEAD, 1);
}

async function isPartitioned(connection: Queryable): Promise<boolean> {
  const [row] = await connection.query<{ kind: string }>(
    "SELECT relkind AS kind FROM pg_class WHERE oid = 'requests'::regclass",
  );
  return row?.kind === "p";
}

/** The constraint of a conversion that was begun; undefined: there is none. */
async function readConversion(
  connection: Queryable,
): Promise<{ readonly endMs: number; readonly isValid: boolean } | undefined> {
  const [row] = await connection.query<{ end_id: string; valid: boolean }>(
    `SELECT substring(pg_get_constraintdef(oid) FROM '[0-9a-f]{8}-[0-9a-f-]{27}') AS end_id, convalidated AS valid
     FROM pg_constraint WHERE conrelid = 'requests'::regclass AND conname = 'requests_range'`,
  );
  return row && { endMs: timeOfId(row.end_id), isValid: row.valid };
}

/** The first partition stays, for what comes late; the room of its deleted records goes back to the disk. */
async function emptyFirst(connection: Queryable): Promise<void> {
  const [size] = await connection.query<{ bytes: bigint }>("SELECT pg_relation_size('requests_before') AS bytes");
  if (size === undefined || size.bytes === 0n) return;
  // Under the lock nothing can be written to it between the look and its end.
  await connection.query("LOCK TABLE requests_before IN ACCESS EXCLUSIVE MODE");
  const rows = await connection.query("SELECT FROM requests_before LIMIT 1");
  if (rows.length === 0) await connection.query("TRUNCATE requests_before");
}

const LOCK_NOT_AVAILABLE = "55P03";

async function withShortLocks(database: Database, work: (connection: Queryable) => Promise<unknown>): Promise<boolean> {
  try {
    await database.transaction(async (connection) => {
      await connection.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
      await work(connection);
    });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
