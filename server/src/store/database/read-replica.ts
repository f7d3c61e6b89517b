import { StartupError } from "@trunkline/core/fault.ts";
import type { Database, Queryable } from "./database.ts";

/** How often the servers are compared, at most: reads in between go by the last comparison. */
const COMPARE_MS = 1_000;
/** A replica that is further behind is not read from. */
export const REPLICA_AGE_MS_MAX = 30_000;
/** How long a replica that failed is left alone. */
const REST_MS = 5_000;

/** How far the primary's log was at a time. */
interface Position {
  readonly position: bigint;
  readonly atMs: number;
}

/** What was read, and by how much it may be behind; undefined: it comes from the primary. */
export interface ReadResult<Result> {
  readonly result: Result;
  readonly ageMs: number | undefined;
}

/**
 * A replica that reads of past requests may go to. It has everything that was committed before a time at which the
 * primary's log was no longer than what the replica has replayed: this holds whatever clocks say, and where replication has stopped
 * without a word.
 */
export class ReadReplica {
  readonly #primary: Queryable;
  readonly #replica: Queryable;
  readonly #monotonicMs: () => number;
  readonly #onError: (error: unknown) => void;
  /** The primary's positions that the replica had not reached yet, and the last one that it had; oldest first. */
  #positions: Position[] = [];
  #coveredMs: number | undefined;
  #comparedMs = Number.NEGATIVE_INFINITY;
  #comparing: Promise<void> | undefined;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    primary: Queryable,
    replica: Queryable,
    { monotonicMs, onError }: { readonly monotonicMs: () => number; readonly onError: (error: unknown) => void },
  ) {
    this.#primary = primary;
    this.#replica = replica;
    this.#monotonicMs = monotonicMs;
    this.#onError = onError;
  }

  /** By how much the replica is behind at most; undefined: nothing is known, or it rests. */
  get ageMs(): number | undefined {
    const nowMs = this.#monotonicMs();
    return this.#coveredMs === undefined || nowMs < this.#restsUntilMs ? undefined : nowMs - this.#coveredMs;
  }

  /** Reads from the replica where it is fresh enough and answers, otherwise from the primary. Nothing is mixed of both. */
  async read<Result>(
    fromReplica: () => Promise<Result>,
    fromPrimary: () => Promise<Result>,
  ): Promise<ReadResult<Result>> {
    const ageMs = await this.#compare();
    if (ageMs === undefined || ageMs > REPLICA_AGE_MS_MAX) return { result: await fromPrimary(), ageMs: undefined };
    try {
      return { result: await fromReplica(), ageMs };
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      this.#rest(error);
      return { result: await fromPrimary(), ageMs: undefined };
    }
  }

  async #compare(): Promise<number | undefined> {
    const nowMs = this.#monotonicMs();
    if (nowMs < this.#restsUntilMs) return undefined;
    if (nowMs - this.#comparedMs >= COMPARE_MS) {
      this.#comparing ??= this.#compareNow(nowMs).finally(() => {
        this.#comparing = undefined;
      });
      await this.#comparing;
    }
    return this.ageMs;
  }

  async #compareNow(nowMs: number): Promise<void> {
    this.#comparedMs = nowMs;
    try {
      // While the primary is away, the replica is as old as it was when the primary was last asked.
      const position = await readPosition(this.#primary, PRIMARY_POSITION).catch(() => undefined);
      if (position !== undefined) this.#positions.push({ position, atMs: nowMs });
      const replayed = await readPosition(this.#replica, REPLICA_POSITION);
      while (this.#positions[0] !== undefined && this.#positions[0].position <= replayed)
        this.#coveredMs = this.#positions.shift()?.atMs;
      this.#positions = this.#positions.filter(({ atMs }) => nowMs - atMs <= REPLICA_AGE_MS_MAX);
    } catch (error) {
      this.#rest(error);
    }
  }

  #rest(error: unknown): void {
    this.#restsUntilMs = this.#monotonicMs() + REST_MS;
    this.#onError(error);
  }
}

const PRIMARY_POSITION = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS position";
/** A replica that has become the primary has everything. */
const REPLICA_POSITION = `SELECT pg_wal_lsn_diff(
    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END, '0/0'
  )::bigint AS position`;

async function readPosition(connection: Queryable, statement: string): Promise<bigint> {
  const [row] = await connection.query<{ position: bigint | null }>(statement);
  if (row?.position == null) throw new Error("The server does not say how far its log is.");
  return row.position;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Error && "type" in error && error.type === "unavailable";
}

/** Refuses a replica that is none of this primary. One that can't be reached may be one: it is left alone until it can. */
export async function requireReplicaOf(primary: Database, replica: Database): Promise<void> {
  const identify = async (database: Database) => {
    const [row] = await database.query<{ id: string }>("SELECT system_identifier::text AS id FROM pg_control_system()");
    return row?.id;
  };
  const own = await identify(primary);
  const other = await identify(replica).catch(() => own);
  if (own === other) return;
  throw new StartupError(
    "DATABASE_READ_URL does not lead to a replica of the database of DATABASE_URL. Correct it, or leave it out.",
  );
}
