import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type { ProviderKey, ProviderKeyDraft, ProviderKeyStore } from "@trunkline/providers/catalogue/provider-keys.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

const COLUMNS = "id, account_id, provider, hint, fallback, created_at";
type KeyRow = Omit<Row<"provider_keys">, "sealed_key">;

/** Accounts' own keys for providers in PostgreSQL, sealed. */
export class PostgresProviderKeys implements ProviderKeyStore {
  readonly #database: Database;
  readonly #sealer: Sealer;
  /** The keys as they were last read, by their ids. A stored key never changes. */
  #read: ReadonlyMap<string, ProviderKey & { readonly key: Secret }> = new Map();

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async all(): Promise<(ProviderKey & { key: Secret })[]> {
    const rows = await this.#database.query<Row<"provider_keys">>("SELECT * FROM provider_keys ORDER BY id");
    const keys = rows.flatMap((row) => {
      const known = this.#read.get(row.id);
      if (known !== undefined) return [known];
      try {
        return [{ ...keyOf(row), key: this.#sealer.open(row.sealed_key, row.id) }];
      } catch {
        // Sealed under another secret of the service: its owner can still remove it and store it again.
        return [];
      }
    });
    this.#read = new Map(keys.map((key) => [key.id, key]));
    return keys;
  }

  async list(accountId: string, limit: number, cursor: string | undefined): Promise<ProviderKey[]> {
    const select = `SELECT ${COLUMNS} FROM provider_keys WHERE account_id = $1`;
    const rows = await readPage<KeyRow>(this.#database, select, [accountId], { limit, cursor });
    return rows.map(keyOf);
  }

  async create(draft: ProviderKeyDraft, key: Secret, most: number): Promise<ProviderKey | undefined> {
    return this.#database.transaction(async (connection) => {
      // Locked: two concurrent requests must not both count the same keys.
      await connection.query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [draft.accountId]);
      const rows = await connection.query<KeyRow>(
        `INSERT INTO provider_keys (id, account_id, provider, sealed_key, hint, fallback)
         SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM provider_keys WHERE account_id = $2) < $7
         RETURNING ${COLUMNS}`,
        [draft.id, draft.accountId, draft.provider, this.#sealer.seal(key, draft.id), draft.hint, draft.fallback, most],
      );
      return rows[0] && keyOf(rows[0]);
    });
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query(
      "DELETE FROM provider_keys WHERE account_id = $1 AND id = $2 RETURNING id",
      [accountId, id],
    );
    return rows.length > 0;
  }
}

function keyOf(row: KeyRow): ProviderKey {
  return {
    id: row.id,
    accountId: row.account_id,
    provider: row.provider,
    hint: row.hint,
    fallback: row.fallback,
    createdAt: row.created_at,
  };
}
