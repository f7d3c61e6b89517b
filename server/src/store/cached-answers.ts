import type { Part, ReceiptUsage } from "@trunkline/core/parts.ts";
import type { CachedAnswer, CachedAnswerStore, Fingerprint, SimilarCandidate } from "../cache/cached-answer.ts";
import { announceCacheDropped } from "./database/changes.ts";
import type { Database } from "./database/database.ts";
import type { Row } from "./database/rows.ts";

/** The most that an account's cache holds after a sweep; the oldest answers are deleted first. */
const ENTRIES_MAX = 5_000;
const BYTES_MAX = 64 * 1024 * 1024;

const COLUMNS = "request_id, model, answer, made_at, expires_at";
type AnswerRow = Row<"cached_answers", "request_id" | "model" | "made_at" | "expires_at"> & {
  readonly answer: { readonly parts: readonly Part[]; readonly usage: ReceiptUsage };
};

/** Cached answers in PostgreSQL, for all instances. */
export class PostgresCachedAnswers implements CachedAnswerStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(accountId: string, exact: Buffer, now: Date): Promise<CachedAnswer | undefined> {
    return this.#findBy("exact", accountId, exact, now);
  }

  findByRequest(accountId: string, requestId: string, now: Date): Promise<CachedAnswer | undefined> {
    return this.#findBy("request_id", accountId, requestId, now);
  }

  async #findBy(column: "exact" | "request_id", accountId: string, value: Buffer | string, now: Date) {
    const [row] = await this.#database.query<AnswerRow>(
      `SELECT ${COLUMNS} FROM cached_answers WHERE account_id = $1 AND ${column} = $2 AND expires_at > $3`,
      [accountId, value, now],
    );
    if (row === undefined) return undefined;
    const { request_id: requestId, model, answer, made_at: madeAt, expires_at: expiresAt } = row;
    return { requestId, model, ...answer, madeAt, expiresAt };
  }

  async findSimilar(accountId: string, surroundings: Buffer, now: Date, limit: number): Promise<SimilarCandidate[]> {
    const rows = await this.#database.query<Row<"cached_answers", "request_id"> & { point: Buffer }>(
      `SELECT request_id, point FROM cached_answers
       WHERE account_id = $1 AND surroundings = $2 AND expires_at > $3 ORDER BY made_at DESC LIMIT $4`,
      [accountId, surroundings, now, limit],
    );
    return rows.map(({ request_id: requestId, point }) => ({ requestId, vector: vectorOf(point) }));
  }

  async save(accountId: string, { exact, words }: Fingerprint, answer: CachedAnswer): Promise<void> {
    const { requestId, model, parts, usage, madeAt, expiresAt } = answer;
    const text = JSON.stringify({ parts, usage });
    await this.#database.query(
      `INSERT INTO cached_answers AS kept
         (account_id, exact, request_id, model, answer, bytes, surroundings, point, made_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (account_id, exact) DO UPDATE SET request_id = EXCLUDED.request_id, model = EXCLUDED.model,
         answer = EXCLUDED.answer, bytes = EXCLUDED.bytes, made_at = EXCLUDED.made_at, expires_at = EXCLUDED.expires_at,
         surroundings = coalesce(EXCLUDED.surroundings, kept.surroundings), point = coalesce(EXCLUDED.point, kept.point)`,
      [
        accountId,
        exact,
        requestId,
        model,
        text,
        Buffer.byteLength(text),
        words?.contextDigest ?? null,
        words === undefined ? null : bytesOf(words.vector),
        madeAt,
        expiresAt,
      ],
    );
  }

  async deleteAll(accountId: string): Promise<number> {
    return this.#database.transaction(async (connection) => {
      const rows = await connection.query("DELETE FROM cached_answers WHERE account_id = $1 RETURNING 1", [accountId]);
      await announceCacheDropped(connection, accountId);
      return rows.length;
    });
  }

  async sweep(now: Date): Promise<void> {
    await this.#database.query("DELETE FROM cached_answers WHERE expires_at <= $1", [now]);
    await this.#database.query(
      `DELETE FROM cached_answers kept USING (
         SELECT account_id, exact, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
         FROM cached_answers WINDOW newest AS (PARTITION BY account_id ORDER BY made_at DESC, exact)
       ) ranked
       WHERE kept.account_id = ranked.account_id AND kept.exact = ranked.exact
         AND (ranked.place > $1 OR ranked.bytes > $2)`,
      [ENTRIES_MAX, BYTES_MAX],
    );
  }
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copies the bytes: floats must be aligned, and these may begin anywhere in their buffer. */
function vectorOf(bytes: Buffer): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}
