import type { Passkey, PasskeyStore } from "../../identity/people/passkeys.ts";
import type { Database } from "../database/database.ts";

interface PasskeyRow {
  id: string;
  person_id: string;
  name: string;
  public_key: Buffer;
  counter: bigint;
  transports: string[];
  backed_up: boolean;
  created_at: Date;
  last_used_at: Date | null;
}

/** Passkeys in PostgreSQL. */
export class PostgresPasskeys implements PasskeyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Passkey | undefined> {
    const rows = await this.#database.query<PasskeyRow>("SELECT * FROM passkeys WHERE id = $1", [id]);
    return rows[0] && passkeyOf(rows[0]);
  }

  async list(personId: string, limit: number, cursor: string | undefined): Promise<Passkey[]> {
    const rows = await this.#database.query<PasskeyRow>(
      "SELECT * FROM passkeys WHERE person_id = $1 AND ($2::text IS NULL OR id > $2) ORDER BY id LIMIT $3",
      [personId, cursor ?? null, limit],
    );
    return rows.map(passkeyOf);
  }

  async add(passkey: Passkey): Promise<boolean> {
    const rows = await this.#database.query(
      `INSERT INTO passkeys (id, person_id, name, public_key, counter, transports, backed_up)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1`,
      [
        passkey.id,
        passkey.personId,
        passkey.name,
        Buffer.from(passkey.publicKey),
        passkey.counter,
        passkey.transports,
        passkey.backedUp,
      ],
    );
    return rows.length === 1;
  }

  /** A counter that does not grow belongs to a copy of the key; those that don't count stay at 0. */
  async recordUse(id: string, counter: number, backedUp: boolean): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE passkeys SET counter = $2, backed_up = $3, last_used_at = now()
       WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING 1`,
      [id, counter, backedUp],
    );
    return rows.length === 1;
  }

  async rename(personId: string, id: string, name: string): Promise<Passkey | undefined> {
    const rows = await this.#database.query<PasskeyRow>(
      "UPDATE passkeys SET name = $3 WHERE person_id = $1 AND id = $2 RETURNING *",
      [personId, id, name],
    );
    return rows[0] && passkeyOf(rows[0]);
  }

  /** The person's row is locked, so that two who each remove one of the last two don't both succeed. */
  async remove(personId: string, id: string): Promise<"removed" | "unknown" | "last"> {
    return this.#database.transaction(async (connection) => {
      const [person] = await connection.query<{ has_password: boolean }>(
        "SELECT password_hash IS NOT NULL AS has_password FROM people WHERE id = $1 FOR UPDATE",
        [personId],
      );
      const keys = await connection.query<{ id: string }>("SELECT id FROM passkeys WHERE person_id = $1", [
        personId,
      ]);
      if (person === undefined || !keys.some((key) => key.id === id)) return "unknown";
      if (!person.has_password && keys.length === 1) return "last";
      await connection.query("DELETE FROM passkeys WHERE person_id = $1 AND id = $2", [personId, id]);
      return "removed";
    });
  }
}

function passkeyOf(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    personId: row.person_id,
    name: row.name,
    publicKey: new Uint8Array(row.public_key),
    counter: Number(row.counter),
    transports: row.transports,
    backedUp: row.backed_up,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
