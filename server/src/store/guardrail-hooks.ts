import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type {
  GuardrailHook,
  GuardrailHookChange,
  GuardrailHookDraft,
  GuardrailHookStore,
  HookSide,
  OpenGuardrailHook,
} from "../guardrails/guardrail-hook.ts";
import type { Database } from "./database/database.ts";
import type { Row } from "./database/rows.ts";
import { readPage } from "./database/sql.ts";

type HookRow = Omit<Row<"guardrail_hooks">, "sealed_secret">;

const COLUMNS =
  "id, account_id, url, may_dial_private, sides, timeout_ms, on_failure, stream_mode, section_characters, description, enabled, created_at";
const SIDES: readonly HookSide[] = ["input", "output"];

/** Guardrail hooks in PostgreSQL, their secrets sealed. */
export class PostgresGuardrailHooks implements GuardrailHookStore {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async create(draft: GuardrailHookDraft, secret: Secret, most: number): Promise<GuardrailHook | undefined> {
    return this.#database.transaction(async (connection) => {
      // Locked: two concurrent requests must not both count the same hooks.
      await connection.query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [draft.accountId]);
      const rows = await connection.query<HookRow>(
        `INSERT INTO guardrail_hooks (id, account_id, url, may_dial_private, sides, timeout_ms, on_failure, stream_mode,
           section_characters, description, sealed_secret)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
         WHERE (SELECT count(*) FROM guardrail_hooks WHERE account_id = $2) < $12
         RETURNING ${COLUMNS}`,
        [
          draft.id,
          draft.accountId,
          draft.url,
          draft.mayDialPrivate,
          draft.sides,
          draft.timeoutMs,
          draft.onFailure,
          draft.stream,
          draft.sectionCharacters,
          draft.description,
          this.#sealer.seal(secret, draft.id),
          most,
        ],
      );
      return rows[0] && hookOf(rows[0]);
    });
  }

  async list(accountId: string, limit: number, cursor: string | undefined): Promise<GuardrailHook[]> {
    const select = `SELECT ${COLUMNS} FROM guardrail_hooks WHERE account_id = $1`;
    const rows = await readPage<HookRow>(this.#database, select, [accountId], { limit, cursor });
    return rows.map(hookOf);
  }

  async find(accountId: string, id: string): Promise<GuardrailHook | undefined> {
    const rows = await this.#database.query<HookRow>(
      `SELECT ${COLUMNS} FROM guardrail_hooks WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    return rows[0] && hookOf(rows[0]);
  }

  async change(id: string, change: GuardrailHookChange): Promise<void> {
    await this.#database.query(
      `UPDATE guardrail_hooks SET url = coalesce($2, url), may_dial_private = coalesce($3, may_dial_private),
         sides = coalesce($4, sides), timeout_ms = coalesce($5, timeout_ms), on_failure = coalesce($6, on_failure),
         description = coalesce($7, description), enabled = coalesce($8, enabled),
         stream_mode = coalesce($9, stream_mode), section_characters = coalesce($10, section_characters),
         sealed_secret = coalesce($11, sealed_secret) WHERE id = $1`,
      [
        id,
        change.url ?? null,
        change.mayDialPrivate ?? null,
        change.sides ?? null,
        change.timeoutMs ?? null,
        change.onFailure ?? null,
        change.description ?? null,
        change.enabled ?? null,
        change.stream ?? null,
        change.sectionCharacters ?? null,
        change.secret === undefined ? null : this.#sealer.seal(change.secret, id),
      ],
    );
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query(
      "DELETE FROM guardrail_hooks WHERE account_id = $1 AND id = $2 RETURNING id",
      [accountId, id],
    );
    return rows.length > 0;
  }

  async open(accountId: string): Promise<OpenGuardrailHook[]> {
    const rows = await this.#database.query<Row<"guardrail_hooks">>(
      `SELECT ${COLUMNS}, sealed_secret FROM guardrail_hooks WHERE account_id = $1 AND enabled ORDER BY id`,
      [accountId],
    );
    return rows.map((row) => this.#openHook(row));
  }

  async openOne(id: string): Promise<OpenGuardrailHook | undefined> {
    const rows = await this.#database.query<Row<"guardrail_hooks">>(
      `SELECT ${COLUMNS}, sealed_secret FROM guardrail_hooks WHERE id = $1`,
      [id],
    );
    return rows[0] && this.#openHook(rows[0]);
  }

  #openHook(row: Row<"guardrail_hooks">): OpenGuardrailHook {
    let secret: Secret | undefined;
    try {
      secret = this.#sealer.open(row.sealed_secret, row.id);
    } catch {
      // It was sealed under another secret of the service.
    }
    return { ...hookOf(row), secret };
  }
}

function hookOf(row: HookRow): GuardrailHook {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    mayDialPrivate: row.may_dial_private,
    sides: SIDES.filter((side) => row.sides.includes(side)),
    timeoutMs: row.timeout_ms,
    // The columns allow no other.
    onFailure: row.on_failure === "allow" ? "allow" : "refuse",
    stream: row.stream_mode === "sections" ? "sections" : "whole",
    sectionCharacters: row.section_characters,
    description: row.description,
    enabled: row.enabled,
    createdAt: row.created_at,
  };
}
