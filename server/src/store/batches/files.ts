import type { FilePurpose, FileStore, StoredFile } from "../../batches/batches.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

type FileRow = Omit<Row<"files">, "content"> & { readonly purpose: FilePurpose; readonly bytes: bigint };

/** The lines of a file of results: those that succeeded, or those that did not. */
const RESULTS = `batches b JOIN batch_lines l ON l.batch_id = b.id
  WHERE b.account_id = f.account_id AND (b.output_file_id = f.id AND NOT l.failed OR b.error_file_id = f.id AND l.failed)`;

const SELECT_FILE = `SELECT f.id, f.account_id, f.name, f.purpose, f.created_at, f.expires_at,
  CASE f.purpose WHEN 'batch' THEN octet_length(f.content)
    ELSE coalesce((SELECT sum(octet_length(l.result) + 1) FROM ${RESULTS}), 0) END::bigint AS bytes
  FROM files f`;

/** Files in PostgreSQL. A file of results is read from the lines of its batch. */
export class PostgresFiles implements FileStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(
    { id, accountId, name, createdAt, expiresAt }: Omit<StoredFile, "bytes" | "purpose">,
    content: Buffer,
    mostBytes: number,
  ): Promise<boolean> {
    const rows = await this.#database.query(
      `INSERT INTO files (id, account_id, name, purpose, content, created_at, expires_at)
       SELECT $1::uuid, $2::uuid, $3::text, 'batch', $4::bytea, $5::timestamptz, $6::timestamptz
       WHERE (SELECT coalesce(sum(octet_length(content)), 0) FROM files WHERE account_id = $2) + octet_length($4::bytea) <= $7
       RETURNING id`,
      [id, accountId, name, content, createdAt, expiresAt, mostBytes],
    );
    return rows.length > 0;
  }

  async find(accountId: string, id: string): Promise<StoredFile | undefined> {
    const rows = await this.#database.query<FileRow>(`${SELECT_FILE} WHERE f.account_id = $1 AND f.id = $2`, [
      accountId,
      id,
    ]);
    return rows[0] && fileOf(rows[0]);
  }

  async list(
    accountId: string,
    { purpose, after }: { purpose: FilePurpose | undefined; after: string | undefined },
    limit: number,
  ): Promise<StoredFile[]> {
    const rows = await readPage<FileRow>(
      this.#database,
      `${SELECT_FILE} WHERE f.account_id = $1 AND ($2::text IS NULL OR f.purpose = $2)`,
      [accountId, purpose ?? null],
      { limit, cursor: after },
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
    bytes: Number(row.bytes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
