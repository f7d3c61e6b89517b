import { Fault } from "@trunkline/core/fault.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { ApiKeySettings } from "../../identity/keys/api-key-settings.ts";
import type { ApiKey, ApiKeyStore, KeyFilter, KeyState, KeyUsage, StoredSecret } from "../../identity/keys/api-keys.ts";
import type { KeyRecord, KeyStore } from "../../identity/keys/keyring.ts";
import { NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { listColumns, placeholders, readPage } from "../database/sql.ts";
import {
  type AccountLimits,
  CALLER_COLUMNS,
  type CallerRow,
  callerOf,
  TERMS,
  type TermsRow,
  termsOf,
} from "./caller-row.ts";

type KeyRow = TermsRow &
  Row<"api_keys", "id" | "account_id" | "created_at" | "revoked_at" | "service_account"> &
  Row<"accounts", "time_zone"> & {
    hint: string | null;
    last_used_at: Date | null;
    maker_id: string | null;
    maker_name: string | null;
    old_secret_ends_at: Date | null;
  };

const TERMS_NAMES = TERMS.map(([name]) => name);

const SELECT_KEY = `
  SELECT k.id, k.account_id, ${listColumns(TERMS_NAMES, "k")}, k.created_at, k.revoked_at, k.service_account, a.time_zone, p.id AS maker_id, p.name AS maker_name,
    (SELECT hint FROM api_key_secrets s WHERE s.key_id = k.id ORDER BY s.created_at DESC LIMIT 1) AS hint,
    (SELECT r.created_at FROM requests r WHERE r.key_id = k.id ORDER BY r.id DESC LIMIT 1) AS last_used_at,
    (SELECT max(s.expires_at) FROM api_key_secrets s WHERE s.key_id = k.id AND s.expires_at > now()) AS old_secret_ends_at
  FROM api_keys k JOIN accounts a ON a.id = k.account_id LEFT JOIN people p ON p.id = k.made_by`;

/** `$2` is the moment at which keys are looked at. */
const IN_STATE: Record<KeyState, string> = {
  active: "k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)",
  expired: "k.revoked_at IS NULL AND k.expires_at <= $2",
  revoked: "k.revoked_at IS NOT NULL AND $2::timestamptz IS NOT NULL",
};
/** Names `$2` too, so that every statement takes the same values. */
const NOT_REVOKED = "k.revoked_at IS NULL AND $2::timestamptz IS NOT NULL";

/** Keys in PostgreSQL: for the keyring, and for their owners. */
export class PostgresApiKeys implements KeyStore, ApiKeyStore {
  readonly #database: Database;
  readonly #limits: AccountLimits;
  readonly #others: OtherDatabases;

  /** `limits` hold for accounts without a ceiling of their own, and may change. `others`: where keys were used as well. */
  constructor(database: Database, limits: AccountLimits, others = NO_OTHERS) {
    this.#database = database;
    this.#limits = limits;
    this.#others = others;
  }

  async findByHash(hash: string): Promise<KeyRecord | undefined> {
    const rows = await this.#database.query<CallerRow & { ends_at: Date | null }>(
      `SELECT ${CALLER_COLUMNS}, least(k.expires_at, s.expires_at) AS ends_at
       FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id JOIN accounts a ON a.id = k.account_id
       WHERE s.hash = $1 AND k.revoked_at IS NULL`,
      [Buffer.from(hash, "hex")],
      "find-key",
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    return {
      caller: callerOf({ ...row, expires_at: row.ends_at }, this.#limits.accountRequestsPerMinute),
      expiresAt: row.ends_at?.getTime(),
    };
  }

  async findById(id: string): Promise<KeyRecord | undefined> {
    const rows = await this.#database.query<CallerRow & { dashboard: boolean }>(
      `SELECT ${CALLER_COLUMNS}, k.dashboard FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.id = $1 AND k.revoked_at IS NULL`,
      [id],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    // A member's permissions come with the session; what runs after the session, such as a batch, is inference alone.
    const scopes = row.dashboard ? ["inference"] : row.scopes;
    return {
      caller: callerOf({ ...row, scopes }, this.#limits.accountRequestsPerMinute),
      expiresAt: row.expires_at?.getTime(),
    };
  }

  async create(
    id: string,
    accountId: string,
    terms: ApiKeySettings,
    secret: StoredSecret | undefined,
    madeBy?: string,
    takenFrom?: { readonly keyId: string; readonly spent: NanoCredits },
  ): Promise<ApiKey> {
    return this.#database.transaction(async (connection) => {
      if (takenFrom !== undefined) {
        const taken = await connection.query(
          "UPDATE api_keys SET budget_limit = budget_limit - $2 WHERE id = $1 AND budget_limit - $2 >= $3 AND revoked_at IS NULL RETURNING id",
          [takenFrom.keyId, terms.budget?.limit ?? 0n, takenFrom.spent],
        );
        if (taken.length === 0)
          throw new Fault("insufficient_scope", "Less than that is left of your key's budget. Give the new key less.", {
            param: "budget",
          });
      }
      const values = [id, accountId, madeBy ?? null, secret === undefined, ...TERMS.map(([, read]) => read(terms))];
      await connection.query(
        `INSERT INTO api_keys (id, account_id, made_by, service_account, ${listColumns(TERMS_NAMES)}) VALUES (${placeholders(values.length)})`,
        values,
      );
      if (secret !== undefined) await insertSecret(connection, id, secret);
      const rows = await connection.query<KeyRow>(`${SELECT_KEY} WHERE k.id = $1`, [id]);
      const row = rows[0];
      if (row === undefined) throw new Error("A key vanished while it was made.");
      return keyOf(row);
    });
  }

  async list(
    accountId: string,
    { state, search, serviceAccounts = false, now }: KeyFilter & { readonly now: Date },
    limit: number,
    cursor: string | undefined,
  ): Promise<ApiKey[]> {
    const rows = await readPage<KeyRow>(
      this.#database,
      `${SELECT_KEY} WHERE k.account_id = $1 AND NOT k.dashboard AND ${state === undefined ? NOT_REVOKED : IN_STATE[state]}
         AND ($3::text IS NULL OR strpos(lower(k.name), lower($3)) > 0 OR EXISTS (
           SELECT 1 FROM api_key_secrets s WHERE s.key_id = k.id AND strpos(lower(s.hint), lower($3)) > 0))
         AND k.service_account = $4`,
      [accountId, now, search ?? null, serviceAccounts],
      { limit, cursor },
      "k.id",
    );
    return this.#withLastUse(accountId, rows.map(keyOf));
  }

  /** The last use of keys may be on another cluster. */
  async #withLastUse(accountId: string, keys: readonly ApiKey[]): Promise<ApiKey[]> {
    const lastUse = new Map(keys.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    for (const other of this.#others.ofAccount(accountId)) {
      const rows = await other.query<{ id: string; at: Date }>(
        `SELECT k.id, (SELECT r.created_at FROM requests r WHERE r.key_id = k.id ORDER BY r.id DESC LIMIT 1) AS at
         FROM unnest($1::uuid[]) AS k(id)`,
        [keys.map(({ id }) => id)],
      );
      for (const { id, at } of rows) {
        const known = lastUse.get(id);
        if (at !== null && (known === undefined || known < at)) lastUse.set(id, at);
      }
    }
    return keys.map((key) => ({ ...key, lastUsedAt: lastUse.get(key.id) }));
  }

  async usageOf(keys: readonly { readonly id: string; readonly since: Date | undefined }[]): Promise<KeyUsage[]> {
    if (keys.length === 0) return [];
    const values = [keys.map(({ id }) => id), keys.map(({ since }) => since?.toISOString() ?? "-infinity")];
    let usage: KeyUsage[] | undefined;
    for (const database of [this.#database, ...this.#others.all()]) {
      const rows = await database.query<{ requests: bigint; spent: bigint; spent_since: bigint }>(KEY_USAGE, values);
      const before = usage;
      usage = rows.map((row, place) => ({
        requests: row.requests + (before?.[place]?.requests ?? 0n),
        spent: row.spent + (before?.[place]?.spent ?? 0n),
        spentSince: row.spent_since + (before?.[place]?.spentSince ?? 0n),
      }));
    }
    return usage ?? [];
  }

  async find(accountId: string, id: string): Promise<ApiKey | undefined> {
    const rows = await this.#database.query<KeyRow>(
      `${SELECT_KEY} WHERE k.account_id = $1 AND k.id = $2 AND k.revoked_at IS NULL AND NOT k.dashboard`,
      [accountId, id],
    );
    if (rows[0] === undefined) return undefined;
    const [key] = await this.#withLastUse(accountId, [keyOf(rows[0])]);
    return key;
  }

  async change(id: string, terms: ApiKeySettings): Promise<void> {
    const changes = TERMS_NAMES.map((name, index) => `${name} = $${index + 2}`).join(", ");
    await this.#database.query(`UPDATE api_keys SET ${changes} WHERE id = $1`, [
      id,
      ...TERMS.map(([, read]) => read(terms)),
    ]);
  }

  async rotate(id: string, secret: StoredSecret, oldEndsAt: Date): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query("UPDATE api_key_secrets SET expires_at = least(expires_at, $2) WHERE key_id = $1", [
        id,
        oldEndsAt,
      ]);
      await insertSecret(connection, id, secret);
    });
  }

  async revoke(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query(
      "UPDATE api_keys SET revoked_at = now() WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL AND NOT dashboard RETURNING id",
      [accountId, id],
    );
    return rows.length > 0;
  }

  /** Makes sure that a key with this secret exists and is alive, whatever happened to it. */
  async ensure(id: string, accountId: string, terms: ApiKeySettings, secret: StoredSecret): Promise<void> {
    const rows = await this.#database.query<{ key_id: string }>("SELECT key_id FROM api_key_secrets WHERE hash = $1", [
      Buffer.from(secret.hash, "hex"),
    ]);
    const known = rows[0]?.key_id;
    if (known === undefined) {
      await this.create(id, accountId, terms, secret);
      return;
    }
    await this.change(known, terms);
    await this.#database.query("UPDATE api_keys SET revoked_at = NULL WHERE id = $1 AND revoked_at IS NOT NULL", [
      known,
    ]);
    await this.#database.query("UPDATE api_key_secrets SET expires_at = NULL WHERE hash = $1", [
      Buffer.from(secret.hash, "hex"),
    ]);
  }

  async hasAny(accountId: string): Promise<boolean> {
    const rows = await this.#database.query("SELECT 1 FROM api_keys WHERE account_id = $1 LIMIT 1", [accountId]);
    return rows.length > 0;
  }
}

async function insertSecret(connection: Queryable, keyId: string, secret: StoredSecret): Promise<void> {
  await connection.query(
    "INSERT INTO api_key_secrets (hash, key_id, hint, created_at) VALUES ($1, $2, $3, clock_timestamp())",
    [Buffer.from(secret.hash, "hex"), keyId, secret.hint],
  );
}

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    serviceAccount: row.service_account,
    ...termsOf(row),
    hint: row.hint ?? "",
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    madeBy: row.maker_id === null || row.maker_name === null ? undefined : { id: row.maker_id, name: row.maker_name },
    oldSecretEndsAt: row.old_secret_ends_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    timeZone: row.time_zone,
  };
}

/**
 * Sums closed days from `usage_days` and the time since from `usage_quarters`. A key's `since` may lie within a closed day,
 * as days are closed by UTC: the rest of that day is read from `usage_quarters` too.
 */
const KEY_USAGE = `
SELECT (days.requests + late.requests)::bigint AS requests, (days.cost + late.cost)::bigint AS spent,
  (days.cost_since + late.cost_since + coalesce(first.cost, 0))::bigint AS spent_since
FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS k(id, since, place)
CROSS JOIN usage_closed c
CROSS JOIN LATERAL (
  SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(cost) FILTER (WHERE day >= (k.since AT TIME ZONE 'UTC')), 0) AS cost_since
  FROM usage_days WHERE key_id = k.id AND day < (c.until AT TIME ZONE 'UTC')::date
) days
CROSS JOIN LATERAL (
  SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(cost) FILTER (WHERE quarter >= k.since), 0) AS cost_since
  FROM usage_quarters WHERE key_id = k.id AND quarter >= c.until
) late
LEFT JOIN LATERAL (
  SELECT sum(cost) AS cost FROM usage_quarters WHERE key_id = k.id AND quarter >= k.since AND quarter < c.until
    AND quarter < date_trunc('day', k.since, 'UTC') + interval '24 hours'
) first ON isfinite(k.since) AND date_trunc('day', k.since, 'UTC') < k.since
ORDER BY k.place`;
