import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type { Passkey, PasskeyStore } from "../../identity/people/passkeys.ts";
import type { SecondFactorStore } from "../../identity/people/second-factor.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

type PasskeyRow = Row<"passkeys">;

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

  /** A counter that does not grow is that of a cloned key. Authenticators that don't count stay at 0. */
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

  /** Locks the person's row: of two requests that each remove one of the last two passkeys, only one succeeds. */
  async remove(personId: string, id: string): Promise<"removed" | "unknown" | "last"> {
    return this.#database.transaction(async (connection) => {
      const [person] = await connection.query<{ has_password: boolean }>(
        "SELECT password_hash IS NOT NULL AS has_password FROM people WHERE id = $1 FOR UPDATE",
        [personId],
      );
      const keys = await connection.query<Row<"passkeys", "id">>("SELECT id FROM passkeys WHERE person_id = $1", [
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

/** Second factors in PostgreSQL: secrets are sealed, recovery codes hashed. */
export class PostgresSecondFactors implements SecondFactorStore {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async saveUnconfirmed(personId: string, secret: Secret): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE people SET sealed_totp = $2, totp_last_step = NULL WHERE id = $1 AND totp_confirmed_at IS NULL RETURNING 1`,
      [personId, this.#sealer.seal(secret, totpOwner(personId))],
    );
    return rows.length === 1;
  }

  async find(personId: string): Promise<{ secret: Secret; confirmed: boolean } | undefined> {
    const [row] = await this.#database.query<Row<"people", "sealed_totp"> & { confirmed: boolean }>(
      "SELECT sealed_totp, totp_confirmed_at IS NOT NULL AS confirmed FROM people WHERE id = $1",
      [personId],
    );
    if (row === undefined || row.sealed_totp === null) return undefined;
    return { secret: this.#sealer.open(row.sealed_totp, totpOwner(personId)), confirmed: row.confirmed };
  }

  async confirm(personId: string, step: number, codes: readonly Buffer[]): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const rows = await connection.query(
        `UPDATE people SET totp_confirmed_at = now(), totp_last_step = $2
         WHERE id = $1 AND totp_confirmed_at IS NULL AND sealed_totp IS NOT NULL RETURNING 1`,
        [personId, step],
      );
      if (rows.length === 0) return false;
      await replaceCodes(connection, personId, codes);
      return true;
    });
  }

  async useStep(personId: string, step: number): Promise<boolean> {
    const rows = await this.#database.query(
      `UPDATE people SET totp_last_step = $2
       WHERE id = $1 AND totp_confirmed_at IS NOT NULL AND coalesce(totp_last_step, -1) < $2 RETURNING 1`,
      [personId, step],
    );
    return rows.length === 1;
  }

  async useRecoveryCode(personId: string, hash: Buffer): Promise<boolean> {
    const rows = await this.#database.query(
      "DELETE FROM recovery_codes WHERE person_id = $1 AND hash = $2 RETURNING 1",
      [personId, hash],
    );
    return rows.length === 1;
  }

  async replaceRecoveryCodes(personId: string, codes: readonly Buffer[]): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const rows = await connection.query(
        "SELECT 1 FROM people WHERE id = $1 AND totp_confirmed_at IS NOT NULL FOR UPDATE",
        [personId],
      );
      if (rows.length === 0) return false;
      await replaceCodes(connection, personId, codes);
      return true;
    });
  }

  async remove(personId: string): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const rows = await connection.query(
        `UPDATE people SET sealed_totp = NULL, totp_confirmed_at = NULL, totp_last_step = NULL
         WHERE id = $1 AND totp_confirmed_at IS NOT NULL RETURNING 1`,
        [personId],
      );
      await connection.query("DELETE FROM recovery_codes WHERE person_id = $1", [personId]);
      return rows.length === 1;
    });
  }
}

async function replaceCodes(connection: Queryable, personId: string, codes: readonly Buffer[]): Promise<void> {
  await connection.query("DELETE FROM recovery_codes WHERE person_id = $1", [personId]);
  await connection.query(
    "INSERT INTO recovery_codes (person_id, hash) SELECT $1, unnest($2::bytea[]) ON CONFLICT DO NOTHING",
    [personId, codes],
  );
}

/** The sealed secret opens only with this. */
export function totpOwner(personId: string): string {
  return `totp of ${personId}`;
}
