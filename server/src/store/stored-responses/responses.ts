import type { SealedResponse, SealedResponseStore } from "../../stored-responses/stored-responses.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { trimAccount } from "./trim-account.ts";

type SealedRow = Row<"stored_responses", "id" | "input" | "response">;

/** Stored responses in PostgreSQL. */
export class PostgresStoredResponses implements SealedResponseStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save(
    { id, accountId, previousId, usedIds, input, response }: Parameters<SealedResponseStore["save"]>[0],
    { createdAt, expiresAt }: Parameters<SealedResponseStore["save"]>[1],
  ): Promise<void> {
    // The client waits for this, so that it must not wait for the disk: other connections see the row at once, and a crash
    // of PostgreSQL can only lose what was written just before. What is used day by day is written once a day.
    await this.#database.query(
      `WITH used AS (
         UPDATE stored_responses SET expires_at = $8 WHERE account_id = $2 AND id = ANY($9::uuid[])
           AND expires_at < $8::timestamptz - interval '1 day'
       )
       INSERT INTO stored_responses (id, account_id, previous_id, input, response, bytes, created_at, expires_at)
       SELECT $1::uuid, $2::uuid, $3::uuid, $4::bytea, $5::bytea, $6::integer, $7::timestamptz, $8::timestamptz
       FROM (SELECT set_config('synchronous_commit', 'off', true)) AS relaxed ON CONFLICT DO NOTHING`,
      [
        id,
        accountId,
        previousId ?? null,
        input,
        response,
        input.length + response.length,
        createdAt,
        expiresAt,
        usedIds,
      ],
    );
  }

  async find(accountId: string, id: string, now: Date): Promise<SealedResponse | undefined> {
    const [row] = await this.#database.query<SealedRow>(
      "SELECT id, input, response FROM stored_responses WHERE account_id = $1 AND id = $2 AND expires_at > $3",
      [accountId, id, now],
    );
    return row;
  }

  async chain(accountId: string, id: string, now: Date, limits: { readonly length: number; readonly bytes: number }) {
    // The first step past a limit is read as well: it shows that there is more.
    const rows = await this.#database.query<SealedRow & { previous_id: string | null; total: bigint }>(
      `WITH RECURSIVE chain AS (
         SELECT id, previous_id, bytes::bigint AS total, 1 AS place FROM stored_responses
         WHERE account_id = $1 AND id = $2 AND expires_at > $3
         UNION ALL
         SELECT r.id, r.previous_id, chain.total + r.bytes, chain.place + 1 FROM chain
         JOIN stored_responses r ON r.id = chain.previous_id AND r.account_id = $1 AND r.expires_at > $3
         WHERE chain.place <= $4 AND chain.total <= $5
       )
       SELECT r.id, r.previous_id, r.input, r.response, chain.total FROM chain JOIN stored_responses r ON r.id = chain.id
       ORDER BY chain.place DESC`,
      [accountId, id, now, limits.length, limits.bytes],
    );
    const [first] = rows;
    return {
      responses: rows,
      isWhole: first?.previous_id === null,
      isTooLong: rows.length > limits.length || (first?.total ?? 0n) > limits.bytes,
    };
  }

  parts(part: "input" | "response", accountId: string, ids: readonly string[], now: Date, bytesMax: number) {
    return this.#database.query<{ id: string; box: Buffer }>(
      `SELECT id, box FROM (
         SELECT id, ${part} AS box, sum(octet_length(${part})) OVER (ORDER BY id DESC) AS total FROM stored_responses
         WHERE account_id = $1 AND id = ANY($2::uuid[]) AND expires_at > $3
       ) newest WHERE total <= $4`,
      [accountId, ids, now, bytesMax],
    );
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query(
      "DELETE FROM stored_responses WHERE account_id = $1 AND id = $2 RETURNING 1",
      [accountId, id],
    );
    return rows.length > 0;
  }

  trim(accountId: string, limits: { readonly bytes: number; readonly count: number }): Promise<void> {
    return trimAccount(this.#database, "stored_responses", accountId, limits);
  }

  async sweep(now: Date): Promise<void> {
    await this.#database.query("DELETE FROM stored_responses WHERE expires_at <= $1", [now]);
  }
}
