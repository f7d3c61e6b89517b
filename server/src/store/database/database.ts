import { Fault } from "@trunkline/core/fault.ts";
import pg from "pg";
import { PreparedStatements, type StatementValue } from "./prepared-statements.ts";
import { type DatabaseAddress, DatabaseServers } from "./servers.ts";

/** The pool, or one connection inside a transaction. */
export interface Queryable {
  /** With a `name`, which is its own in the whole service, a connection parses the statement once: for those of single requests. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
}

export interface Database extends Queryable {
  /**
   * Runs a statement that is sent again and again, one at a time, on a connection of its own that parses and plans it
   * once. The plan goes by indexes alone, so that it stays good as the tables grow. Returns the first column of each row
   * as text.
   */
  prepared(name: string, text: string, values: readonly StatementValue[]): Promise<readonly string[]>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<Result>(work: (connection: Queryable) => Promise<Result>): Promise<Result>;
  /** Runs `work` while no other instance runs its own under the same number. */
  runExclusive<Result>(lock: number, work: () => Promise<Result>): Promise<Result>;
  /** A connection outside the pool, for listening and for locks; `purpose` shows in `pg_stat_activity`. */
  connect(purpose: string): Promise<pg.Client>;
  close(): Promise<void>;
}

/** 64-bit integers are money and counts: they come back as bigint, never as a rounded number. */
const INT8_OID = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8_OID
      ? (value: string) => BigInt(value)
      : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

export interface DatabaseOptions {
  /** A statement that takes longer counts as a store that is away; undefined: no limit. */
  readonly statementTimeoutMs?: number;
  /** The most connections in the pool. Listening, locks and settlements have their own. */
  readonly connections?: number;
}

/** Opens a database. Connections are made when they are needed. Databases that are opened on the same servers share what is known of them. */
export function openDatabase(
  address: DatabaseAddress | DatabaseServers,
  onError: (error: Error) => void,
  { statementTimeoutMs, connections = 12 }: DatabaseOptions = {},
): Database {
  const servers = address instanceof DatabaseServers ? address : new DatabaseServers(address);
  const config = {
    ...servers.config,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    connectionTimeoutMillis: 5_000,
  };
  const pool = new pg.Pool({
    ...config,
    // The types have it without the configuration that the pool passes.
    Client: servers.Client as unknown as new () => pg.Client,
    application_name: "trunkline",
    max: connections,
    idleTimeoutMillis: 60_000,
    ...(statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs }),
  });
  let closing = false;
  // An idle connection that breaks must not take the process down; the next query opens a new one.
  const report = (error: Error) => {
    if (!closing) onError(error);
  };
  pool.on("error", report);
  const preparedStatements = new PreparedStatements(
    () =>
      new servers.Client({
        ...config,
        application_name: "trunkline settler",
      }),
    report,
    asUnavailable,
  );
  return {
    query: (text, values, name) => runQuery(pool, text, values, name),
    prepared: (name, text, values) => preparedStatements.run(name, text, values),
    async transaction(work) {
      const connection = await pool.connect().catch(throwUnavailable);
      // The pool does not listen to a connection in use: an error between two statements would end the process.
      connection.on("error", report);
      const release = (broken?: Error) => {
        connection.off("error", report);
        connection.release(broken);
      };
      try {
        await runQuery(connection, "BEGIN");
        const result = await work({
          query: (text, values, name) => runQuery(connection, text, values, name),
        });
        await runQuery(connection, "COMMIT");
        release();
        return result;
      } catch (error) {
        // A connection whose rollback fails is broken, and a standby does not become the primary by itself: neither goes
        // back into the pool.
        await connection.query("ROLLBACK").then(() => release(isStandby(error) ? error : undefined), release);
        throw error;
      }
    },
    async runExclusive(lock, work) {
      const connection = await this.connect("preparation");
      try {
        await connection.query("SELECT pg_advisory_lock($1)", [lock]);
        return await work();
      } finally {
        // The lock goes with its connection.
        await connection.end();
      }
    },
    async connect(purpose) {
      if (closing) throw new Error("The database is closed.");
      const client = new servers.Client({
        ...config,
        application_name: `trunkline ${purpose}`,
      });
      client.on("error", report);
      await client.connect().catch(throwUnavailable);
      return client;
    },
    async close() {
      closing = true;
      await Promise.all([pool.end(), preparedStatements.close()]);
    },
  };
}

async function runQuery<Row extends pg.QueryResultRow>(
  target: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[] = [],
  name?: string,
): Promise<Row[]> {
  const query = { text, values: [...values], ...(name === undefined ? {} : { name }) };
  const result = await target.query<Row>(query).catch(throwUnavailable);
  return result.rows;
}

/** A store that is away is not the caller's fault: 503, never 401 or 402. */
function asUnavailable(error: unknown): unknown {
  if (!isConnectionError(error)) return error;
  return new Fault(
    "unavailable",
    "The service's store is away for a moment. Try again shortly.",
    { retryAfterSeconds: 2 },
    { cause: error },
  );
}

function throwUnavailable(error: unknown): never {
  throw asUnavailable(error);
}

/** Whether a server refused a write because it is a standby. */
function isStandby(error: unknown): error is Fault {
  const cause = error instanceof Fault ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "25006";
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  // Class 08: connection errors. 25006: a standby that is not promoted yet. 40: rolled back in favour of another transaction.
  // 53: out of resources such as disk. 57P: shutting down or starting up. 58030: the disk failed.
  return (
    /^(08|25006|40|53|57P|58030)/.test(code) ||
    /^E(CONN|PIPE|NOENT|NOTFOUND|AI_AGAIN|TIMEDOUT|HOST|NET)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

const READY_TIMEOUT_MS = 2_000;

/**
 * Makes the check whether requests can be served and charged: the pool and the connection of the settlements answer
 * within two seconds, each with a session of its own.
 */
export function createReadinessCheck(database: SessionsOf): () => Promise<boolean> {
  let checking: Promise<boolean> | undefined;
  return () => {
    // One at a time: settlements would have to wait for each.
    checking ??= answerApart(database)
      .catch(() => false)
      .finally(() => {
        checking = undefined;
      });
    const tooLate = new Promise<boolean>((resolve) => setTimeout(resolve, READY_TIMEOUT_MS, false).unref());
    return Promise.race([checking, tooLate]);
  };
}

/** What the settlements' connection and the pool are asked for. */
type SessionsOf = Pick<Database, "query" | "prepared">;

const BACKEND = "SELECT pg_backend_pid() AS pid";

/** A pooler gives out the session that was used last, or the one that was not used for longest: this many rounds meet both. */
const ROUNDS = 3;

/**
 * Whether each connection has a session of its own. Behind a pooler in transaction mode it does not: locks, prepared
 * statements and notices then belong to other connections, or are lost.
 */
export async function hasOwnSessions(database: SessionsOf & Pick<Database, "transaction">): Promise<boolean> {
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const [settler] = await database.prepared("session", BACKEND, []);
      const isShared = await database.transaction(async (connection) => {
        const [row] = await connection.query<{ pid: number }>(BACKEND);
        // Asked only where another session is free: of a single one it would wait for itself.
        return String(row?.pid) === settler || (await database.prepared("session", BACKEND, []))[0] !== settler;
      });
      if (isShared) return false;
    }
    return true;
  } catch (error) {
    if (isOthersStatement(error)) return false;
    throw error;
  }
}

/** The quick form of the same, which waits for nothing else. */
async function answerApart(database: SessionsOf): Promise<boolean> {
  const [settler] = await database.prepared("session", BACKEND, []);
  const [row] = await database.query<{ pid: number }>(BACKEND);
  return String(row?.pid) !== settler;
}

/** A prepared statement that is not there, or is there already: another connection's session was used. */
function isOthersStatement(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "26000" || error.code === "42P05");
}

/** A connection can break without either side noticing: it is probed this often. */
const HEARTBEAT_MS = 1_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** When a question was sent to the store and answered, in monotonic milliseconds, and the store's time in between. */
export interface StoreTimeSample {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly storeTime: number;
}

/** What learns the store's time from heartbeats. */
export interface TimeObserver {
  monotonicMs(): number;
  observe(sample: StoreTimeSample): void;
}

/** The store's time in milliseconds, as a column. */
export const STORE_TIME = "(extract(epoch FROM clock_timestamp()) * 1000)::double precision AS time";

/** Closes a connection that does not answer, so that its end is noticed. Runs until it is cleared. */
export function startHeartbeat(client: pg.Client, timeObserver?: TimeObserver): NodeJS.Timeout {
  let isWaiting = false;
  const heartbeat = setInterval(() => {
    if (isWaiting) return;
    isWaiting = true;
    const cut = setTimeout(() => client.connection.stream.destroy(), HEARTBEAT_TIMEOUT_MS);
    const sentMs = timeObserver?.monotonicMs() ?? 0;
    void client
      .query<{ time: number }>(timeObserver === undefined ? "SELECT 1" : `SELECT ${STORE_TIME}`)
      .then(({ rows }) => {
        const storeTime = rows[0]?.time;
        if (timeObserver !== undefined && storeTime !== undefined)
          timeObserver.observe({ sentMs, answeredMs: timeObserver.monotonicMs(), storeTime });
      })
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(cut);
        isWaiting = false;
      });
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return heartbeat;
}
