import type { FileFilter, FilePurpose, FileStore, StoredFile } from "../../batches/batches.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

type FileRow = Omit<Row<"files">, "content" | "bytes"> & {
  readonly purpose: FilePurpose;
  readonly bytes: bigint;
};

/** The media type of a batch's requests and results. */
const BATCH_FILE_TYPE = "application/jsonl";

/** The lines of a file of results: those that succeeded, or those that did not. */
const RESULTS = `batches b JOIN batch_lines l ON l.batch_id = b.id
  WHERE b.account_id = f.account_id AND (b.output_file_id = f.id AND NOT l.failed OR b.error_file_id = f.id AND l.failed)`;

const SELECT_FILE = `SELECT f.id, f.account_id, f.name, f.purpose, f.media_type, f.created_at, f.expires_at,
  CASE WHEN f.content IS NOT NULL THEN coalesce(f.bytes, octet_length(f.content))
    ELSE coalesce((SELECT sum(octet_length(l.result) + 1) FROM ${RESULTS}), 0) END::bigint AS bytes
  FROM files f`;

/** Files in PostgreSQL. A file of results is read from the lines of its batch. */
export class PostgresFiles implements FileStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(
    { id, accountId, name, purpose, createdAt, expiresAt }: Omit<StoredFile, "bytes" | "mediaType">,
    { box, mediaType, bytes }: Parameters<FileStore["create"]>[1],
    mostBytes: number,
  ): Promise<boolean> {
    const rows = await this.#database.query(
      `INSERT INTO files (id, account_id, name, purpose, content, created_at, expires_at, media_type, bytes)
       SELECT $1::uuid, $2::uuid, $3::text, $8::text, $4::bytea, $5::timestamptz, $6::timestamptz, $9::text, $10::integer
       WHERE (SELECT coalesce(sum(octet_length(content)), 0) FROM files WHERE account_id = $2) + octet_length($4::bytea) <= $7
       RETURNING id`,
      [id, accountId, name, box, createdAt, expiresAt, mostBytes, purpose, mediaType ?? null, bytes ?? null],
    );
    return rows.length > 0;
  }

  async attached(accountId: string, ids: readonly string[], bytesMax: number) {
    // None is read where all together are too large.
    const rows = await this.#database.query<{ id: string; name: string; mediaType: string; box: Buffer | null }>(
      `SELECT id, name, media_type AS "mediaType", CASE WHEN sum(bytes) OVER () <= $3 THEN content END AS box FROM files
       WHERE account_id = $1 AND id = ANY($2::uuid[]) AND bytes IS NOT NULL`,
      [accountId, ids, bytesMax],
    );
    const read = rows.flatMap(({ box, ...file }) => (box === null ? [] : [{ ...file, box }]));
    return read.length < rows.length ? ("too large" as const) : read;
  }

  async find(accountId: string, id: string): Promise<StoredFile | undefined> {
    const rows = await this.#database.query<FileRow>(`${SELECT_FILE} WHERE f.account_id = $1 AND f.id = $2`, [
      accountId,
      id,
    ]);
    return rows[0] && fileOf(rows[0]);
  }

  async list(accountId: string, { purposes, ids, after, before }: FileFilter, limit: number): Promise<StoredFile[]> {
    const rows = await readPage<FileRow>(
      this.#database,
      `${SELECT_FILE} WHERE f.account_id = $1 AND ($2::text[] IS NULL OR f.purpose = ANY($2))
       AND ($3::uuid[] IS NULL OR f.id = ANY($3))`,
      [accountId, purposes ?? null, ids ?? null],
      { limit, cursor: after, before },
      "f.id",
    );
    return rows.map(fileOf);
  }

  async content(accountId: string, id: string): Promise<Buffer | undefined> {
    const rows = await this.#database.query<Row<"files", "content">>(
      "SELECT content FROM files WHERE account_id = $1 AND id = $2",
      [accountId, id],
    );
    const [file] = rows;
    if (file === undefined || file.content !== null) return file?.content ?? undefined;
    const results = await this.#database.query<{ result: string }>(
      `SELECT done.result FROM files f CROSS JOIN LATERAL (SELECT l.line, l.result FROM ${RESULTS}) done
       WHERE f.account_id = $1 AND f.id = $2 ORDER BY done.line`,
      [accountId, id],
    );
    return Buffer.from(results.map(({ result }) => `${result}\n`).join(""));
  }

  async remove(accountId: string, id: string): Promise<"removed" | "unknown" | "in use"> {
    return this.#database.transaction(async (connection) => {
      const written = await connection.query<{ id: string; isOver: boolean; failed: boolean }>(
        `SELECT id, completed IS NOT NULL AS "isOver", error_file_id = $2 AS failed FROM batches
         WHERE account_id = $1 AND (output_file_id = $2 OR error_file_id = $2) FOR UPDATE`,
        [accountId, id],
      );
      if (written.some(({ isOver }) => !isOver)) return "in use";
      for (const batch of written)
        await connection.query("DELETE FROM batch_lines WHERE batch_id = $1 AND failed = $2", [batch.id, batch.failed]);
      const rows = await connection.query("DELETE FROM files WHERE account_id = $1 AND id = $2 RETURNING 1", [
        accountId,
        id,
      ]);
      return rows.length > 0 ? "removed" : "unknown";
    });
  }
}

function fileOf(row: FileRow): StoredFile {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    purpose: row.purpose,
    mediaType: row.media_type ?? BATCH_FILE_TYPE,
    bytes: Number(row.bytes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
