import { createHash } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { firstIdAt, timeOfId } from "@trunkline/core/id.ts";
import type { Database, Queryable } from "../database/database.ts";
import { WITHOUT_CONTENT } from "./stored-content.ts";

/** The number of an advisory lock: one instance archives at a time. */
const ARCHIVING_LOCK = 7_215_733_070;

/** How many requests one file holds at most. Their text is in memory while it is compressed. */
const REQUESTS_PER_FILE = 5_000;

const DAY_MS = 86_400_000;

/** For how long records of requests stay in the database, and where they go then. */
export interface RequestRetention {
  readonly days: number;
  /** The folder of the files; undefined: the records are deleted, and their digests stay. */
  readonly folder: string | undefined;
}

/** Moves records of requests that are older than the retention into files. */
export class RequestArchiver {
  readonly #database: Database;
  readonly #retention: RequestRetention;
  #running: Promise<number> | undefined;

  constructor(database: Database, retention: RequestRetention) {
    this.#database = database;
    this.#retention = retention;
  }

  /** Returns how many requests were moved. One run at a time, in this process and in all. */
  run(now: number): Promise<number> {
    this.#running ??= this.#archive(now).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * A file at a time: it is on the disk before its rows are deleted, in the transaction that notes its digest. A crash in
   * between leaves a file that the next run writes again.
   */
  async #archive(now: number): Promise<number> {
    const database = this.#database;
    const firstKept = await findHorizon(database, now - this.#retention.days * DAY_MS);
    const due = await database.query("SELECT FROM requests WHERE id < $1 LIMIT 1", [firstKept]);
    if (due.length === 0) return 0;
    const client = await database.connect("archive");
    try {
      const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS mine", [ARCHIVING_LOCK]);
      if (rows[0]?.mine !== true) return 0;
      await database.query("UPDATE request_horizon SET first_kept = greatest(first_kept, $1::uuid)", [firstKept]);
      const lines = linesOf(await columnsOfRequests(database));
      for (let moved = 0; ; ) {
        const count = await archiveNext(database, lines, firstKept, this.#retention.folder);
        moved += count;
        if (count < REQUESTS_PER_FILE) return moved;
      }
    } finally {
      // The lock goes with its connection.
      await client.end();
    }
  }
}

/**
 * The first id that is kept, raised to whole days that are past the retention. It stays behind what still reads the requests:
 * the sums of closed days, and providers' earnings, which are read seal by seal.
 */
async function findHorizon(database: Database, retainedFrom: number): Promise<string> {
  const rows = await database.query<{ first_kept: string; ready: number }>(
    `SELECT first_kept, (extract(epoch FROM least((SELECT until FROM usage_closed),
       (SELECT coalesce(min(s.sealed_at), now()) - interval '1 day' FROM ledger_seals s, earnings_progress p WHERE s.id > p.last_seal),
       (SELECT coalesce(max(sealed_at), '-infinity') FROM ledger_seals))) * 1000)::double precision AS ready
     FROM request_horizon`,
  );
  const current = rows[0]?.first_kept ?? firstIdAt(0);
  const ready = rows[0]?.ready ?? -Infinity;
  const wanted = Math.floor(Math.min(retainedFrom, ready) / DAY_MS) * DAY_MS;
  if (!Number.isFinite(wanted) || wanted <= timeOfId(current)) return current;
  return firstIdAt(wanted);
}

interface ArchivedRow {
  readonly id: string;
  readonly cost: bigint;
  readonly line: string;
}

/**
 * A request with all that belongs to it, as one line. `json`, not `jsonb`: it keeps every escape that a provider sent. Prompts and
 * outputs are left out: a file can't be changed any more when its account has them deleted.
 */
const linesOf = (columns: string) => `
SELECT r.id, r.cost, json_build_object('request', row_to_json(r),
  'legs', array_to_json(ARRAY(SELECT row_to_json(l) FROM request_legs l WHERE l.request_id = r.id ORDER BY l.leg)),
  'feedback', (SELECT row_to_json(f) FROM request_feedback f WHERE f.request_id = r.id))::text AS line
FROM (SELECT ${columns} FROM requests r WHERE r.id < $1 ORDER BY r.id LIMIT $2) r ORDER BY r.id`;

/** In the order of the table. */
async function columnsOfRequests(database: Database): Promise<string> {
  const rows = await database.query<{ name: string }>(
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = 'requests'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
  );
  return rows
    .map(({ name }) => (name === "detail" ? `${WITHOUT_CONTENT("r.detail")} AS detail` : `r.${name}`))
    .join(", ");
}

async function archiveNext(
  database: Database,
  lines: string,
  firstKept: string,
  folder: string | undefined,
): Promise<number> {
  const rows = await database.query<ArchivedRow>(lines, [firstKept, REQUESTS_PER_FILE]);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const content = Buffer.from(rows.map(({ line }) => `${line}\n`).join(""));
  const name = fileNameOf(first.id, last.id);
  if (folder !== undefined) await writeFileDurably(join(folder, name), await promisify(gzip)(content));
  await database.transaction(async (connection) => {
    const deleted = await deleteRequests(connection, rows);
    if (deleted !== rows.length) throw new Error(`${deleted} of ${rows.length} archived requests were there to delete`);
    await connection.query(NOTE_ARCHIVE, [
      folder === undefined ? null : name,
      first.id,
      last.id,
      rows.length,
      rows.filter(({ cost }) => cost > 0n).length,
      rows.reduce((sum, { cost }) => sum + cost, 0n),
      content.length,
      createHash("sha256").update(content).digest(),
    ]);
  });
  return rows.length;
}

async function deleteRequests(connection: Queryable, rows: readonly ArchivedRow[]): Promise<number> {
  const ids = [rows.map(({ id }) => id)];
  await connection.query("DELETE FROM request_legs WHERE request_id = ANY ($1::uuid[])", ids);
  await connection.query("DELETE FROM request_feedback WHERE request_id = ANY ($1::uuid[])", ids);
  return (await connection.query("DELETE FROM requests WHERE id = ANY ($1::uuid[]) RETURNING id", ids)).length;
}

/** How the chain goes on: over the row's own figures as well, so that none of them can be changed. */
export const ARCHIVE_CHAIN = (previous: string) =>
  `sha256(coalesce(${previous}, ''::bytea) || a.sha256 || convert_to(format('%s %s %s %s %s %s %s %L', a.id, a.first_id, a.last_id, a.requests, a.charged, a.cost, a.bytes, a.file), 'UTF8'))`;

const NOTE_ARCHIVE = `
WITH newest AS (SELECT id, chain FROM request_archives ORDER BY id DESC LIMIT 1), a AS (
  SELECT coalesce((SELECT id FROM newest), 0) + 1 AS id, $1::text AS file, $2::uuid AS first_id, $3::uuid AS last_id, $4::bigint AS requests,
    $5::bigint AS charged, $6::bigint AS cost, $7::bigint AS bytes, $8::bytea AS sha256
)
INSERT INTO request_archives (id, file, first_id, last_id, requests, charged, cost, bytes, sha256, chain)
SELECT a.*, ${ARCHIVE_CHAIN("(SELECT chain FROM newest)")} FROM a`;

/** A folder for each month, and a file for each range of ids. */
function fileNameOf(firstId: string, lastId: string): string {
  const from = new Date(timeOfId(firstId)).toISOString();
  return `${from.slice(0, 7)}/requests-${from.slice(0, 10)}-${firstId}-${lastId.slice(0, 13)}.jsonl.gz`;
}

async function writeFileDurably(path: string, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  if (process.platform === "win32") return;
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
