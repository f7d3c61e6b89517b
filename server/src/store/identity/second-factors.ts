import type { Sealer } from "@trunkline/core/sealed.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { SecondFactorStore } from "../../identity/people/second-factor.ts";
import type { Database, Queryable } from "../database/database.ts";

/** Second factors in PostgreSQL: the secret sealed, recovery codes by their hashes. */
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
      [personId, this.#sealer.seal(secret, sealContext(personId))],
    );
    return rows.length === 1;
  }

  async find(personId: string): Promise<{ secret: Secret; confirmed: boolean } | undefined> {
    const [row] = await this.#database.query<{ sealed_totp: Buffer | null; confirmed: boolean }>(
      "SELECT sealed_totp, totp_confirmed_at IS NOT NULL AS confirmed FROM people WHERE id = $1",
      [personId],
    );
    if (row === undefined || row.sealed_totp === null) return undefined;
    return { secret: this.#sealer.open(row.sealed_totp, sealContext(personId)), confirmed: row.confirmed };
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

async function replaceCodes(
  connection: Queryable,
  personId: string,
  codes: readonly Buffer[],
): Promise<void> {
  await connection.query("DELETE FROM recovery_codes WHERE person_id = $1", [personId]);
  await connection.query(
    "INSERT INTO recovery_codes (person_id, hash) SELECT $1, unnest($2::bytea[]) ON CONFLICT DO NOTHING",
    [personId, codes],
  );
}

/** What the box is bound to. */
function sealContext(personId: string): string {
  return `totp of ${personId}`;
}
