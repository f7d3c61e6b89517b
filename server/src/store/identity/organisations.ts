import type {
  Organisation,
  OrganisationChange,
  OrganisationStore,
} from "../../identity/organisations/organisations.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { addMember, removeMembers } from "./members.ts";

type OrganisationRow = Row<"accounts", "id" | "name" | "provider" | "operator" | "created_at"> & {
  suspended: boolean;
  has_models: boolean;
};

/** Accounts as their members see them, in PostgreSQL. */
export class PostgresOrganisations implements OrganisationStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Organisation | undefined> {
    const rows = await this.#database.query<OrganisationRow>(
      `SELECT id, name, provider, operator, suspended_at IS NOT NULL AS suspended, created_at,
         EXISTS (SELECT 1 FROM models WHERE account_id = a.id) AS has_models FROM accounts a WHERE id = $1`,
      [id],
    );
    return rows[0] && organisationOf(rows[0]);
  }

  async change(id: string, { name, provider }: OrganisationChange): Promise<"changed" | "taken" | "has models"> {
    return this.#database
      .transaction(async (connection) => {
        // A full lock: a registration of a model waits until the provider name is certain.
        const [before] = await connection.query<Pick<OrganisationRow, "provider" | "has_models">>(
          `SELECT provider, EXISTS (SELECT 1 FROM models WHERE account_id = a.id) AS has_models
         FROM accounts a WHERE id = $1 FOR UPDATE`,
          [id],
        );
        const isRenamed = provider !== undefined && provider !== before?.provider;
        if (isRenamed && before?.has_models === true) return "has models";
        if (isRenamed) {
          const taken = await connection.query(
            "SELECT 1 FROM models WHERE provider = $1 UNION ALL SELECT 1 FROM accounts WHERE provider = $1 LIMIT 1",
            [provider],
          );
          if (taken.length > 0) return "taken";
        }
        await connection.query(
          "UPDATE accounts SET name = coalesce($2, name), provider = coalesce($3, provider) WHERE id = $1",
          [id, name ?? null, provider ?? null],
        );
        return "changed";
      })
      .catch(takenOnConflict);
  }

  async create(
    { id, name, provider }: { readonly id: string; readonly name: string; readonly provider: string },
    maker: { readonly id: string; readonly email: string; readonly sessionId: string },
    most: number,
  ): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      await connection.query("SELECT 1 FROM people WHERE id = $1 FOR NO KEY UPDATE", [maker.id]);
      const owned = await connection.query("SELECT 1 FROM members WHERE person_id = $1 AND role = 'owner' LIMIT $2", [
        maker.id,
        most,
      ]);
      if (owned.length >= most) return false;
      await connection.query("INSERT INTO accounts (id, name, provider) VALUES ($1, $2, $3)", [id, name, provider]);
      await addMember(connection, id, maker, "owner");
      await connection.query("UPDATE sessions SET account_id = $2 WHERE id = $1", [maker.sessionId, id]);
      return true;
    });
  }

  async close(id: string): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query("UPDATE accounts SET closed_at = now() WHERE id = $1 AND closed_at IS NULL", [id]);
      await removeMembers(connection, id, undefined);
      await connection.query("UPDATE api_keys SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL", [
        id,
      ]);
      await connection.query(
        "UPDATE invitations SET revoked_at = now() WHERE account_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL",
        [id],
      );
      await connection.query(
        "UPDATE webhooks SET enabled = false, disabled_reason = 'The organisation was closed.' WHERE account_id = $1",
        [id],
      );
      await connection.query(
        `UPDATE webhook_deliveries SET next_attempt_at = NULL
         WHERE next_attempt_at IS NOT NULL AND webhook_id IN (SELECT id FROM webhooks WHERE account_id = $1)`,
        [id],
      );
      await connection.query("DELETE FROM alert_mails WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM provider_keys WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM identity_providers WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM external_identities WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM email_domains WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM workload_trusts WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM directory_groups WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM directory_users WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM stored_responses WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM conversations WHERE account_id = $1", [id]);
      await connection.query("DELETE FROM files WHERE account_id = $1 AND bytes IS NOT NULL", [id]);
      await connection.query("UPDATE models SET deleted_at = now() WHERE account_id = $1 AND deleted_at IS NULL", [id]);
    });
  }
}

/** Of two concurrent requests for one name, the second fails when it writes. */
function takenOnConflict(error: unknown): "taken" {
  if (error instanceof Error && "code" in error && error.code === "23505") return "taken";
  throw error;
}

function organisationOf(row: OrganisationRow): Organisation {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    operator: row.operator,
    suspended: row.suspended,
    hasModels: row.has_models,
    createdAt: row.created_at,
  };
}
