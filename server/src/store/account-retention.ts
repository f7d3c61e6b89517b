import { firstIdAt } from "@trunkline/core/id.ts";
import {
  type AccountRetention,
  effectiveDays,
  RETENTION_KINDS,
  type RetentionKind,
  type ServiceRetention,
} from "@trunkline/core/retention.ts";
import { NO_OTHERS, type OtherDatabases } from "./clusters/other-databases.ts";
import type { Database, Queryable } from "./database/database.ts";
import type { Row } from "./database/rows.ts";
import { CONTENT_MARK, WITHOUT_CONTENT } from "./usage/stored-content.ts";

/** The number of an advisory lock: one instance deletes at a time. */
const EXPIRY_LOCK = 7_215_733_111;
/** How many rows one statement changes. */
const PORTION = 1_000;
/** Days are counted exactly, and looked at so often. */
const EXPIRY_MS = 600_000;
const DAY_MS = 86_400_000;

type RetentionRow = Row<"account_retention">;

/** For how long accounts' data is kept, and the deletion of what is older. */
export class PostgresAccountRetention {
  readonly #database: Database;
  readonly #bounds: ServiceRetention;
  /** How many days the service keeps responses after their last use. */
  readonly #responseDays: number;
  readonly #clock: { now(): number };
  readonly #others: OtherDatabases;
  #nextAt = 0;

  constructor(
    database: Database,
    bounds: ServiceRetention,
    responseDays: number,
    clock: { now(): number },
    others = NO_OTHERS,
  ) {
    this.#database = database;
    this.#others = others;
    this.#bounds = bounds;
    this.#responseDays = responseDays;
    this.#clock = clock;
  }

  async read(accountId: string): Promise<AccountRetention> {
    const [row] = await this.#database.query<RetentionRow>("SELECT * FROM account_retention WHERE account_id = $1", [
      accountId,
    ]);
    return ownDays(row);
  }

  /** Missing kinds stay as they are; null is the service's own. */
  async change(
    accountId: string,
    change: Readonly<Partial<Record<RetentionKind, number | null | undefined>>>,
  ): Promise<void> {
    const kinds = RETENTION_KINDS.filter((kind) => change[kind] !== undefined);
    if (kinds.length === 0) return;
    const columns = kinds.map((kind) => `${kind}_days`);
    await this.#database.query(
      `INSERT INTO account_retention (account_id, ${columns.join(", ")}) VALUES ($1, ${columns.map((_, at) => `$${at + 2}`).join(", ")})
       ON CONFLICT (account_id) DO UPDATE SET ${columns.map((column) => `${column} = EXCLUDED.${column}`).join(", ")}`,
      [accountId, ...kinds.map((kind) => change[kind])],
    );
  }

  /** Deletes what accounts keep no longer, now and then. Called often. */
  async sweep(): Promise<void> {
    const now = this.#clock.now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + EXPIRY_MS;
    await this.expire(now);
  }

  /** Deletes what accounts keep no longer. */
  async expire(now: number): Promise<void> {
    const client = await this.#database.connect("retention");
    try {
      const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS mine", [EXPIRY_LOCK]);
      if (rows[0]?.mine !== true) return;
      for (const account of await this.#listAccounts()) {
        const own = ownDays(account);
        const days = (kind: RetentionKind) => effectiveDays(own[kind], this.#bounds[kind]);
        for (const kind of ["details", "contents"] as const) {
          await this.#expireRecords(this.#database, kind, account, days(kind), now);
          for (const other of this.#others.ofAccount(account.account_id))
            await this.#expireRecords(other, kind, await readProgress(other, account), days(kind), now);
        }
        await this.#expireResponses(account.account_id, days("responses"), now);
        await this.#expireAuditLog(account.account_id, days("audit_log"), now);
      }
    } finally {
      // The lock goes with its connection.
      await client.end();
    }
  }

  /** Those that set something; all where the service has days for a kind. */
  #listAccounts(): Promise<RetentionRow[]> {
    const concernsAll = RETENTION_KINDS.some(
      (kind) => kind !== "responses" && effectiveDays(undefined, this.#bounds[kind]) !== undefined,
    );
    const zero = firstIdAt(0);
    return this.#database.query<RetentionRow>(
      concernsAll || (this.#bounds.responses.days ?? this.#responseDays) < this.#responseDays
        ? `SELECT a.id AS account_id, contents_days, details_days, responses_days, audit_log_days,
             coalesce(contents_from, '${zero}') AS contents_from, coalesce(details_from, '${zero}') AS details_from
           FROM accounts a LEFT JOIN account_retention r ON r.account_id = a.id ORDER BY 1`
        : "SELECT * FROM account_retention ORDER BY account_id",
    );
  }

  /**
   * Takes prompts and outputs, or all details, out of records. What a charge is proved by stays: when, by which key, which
   * model, how much, at which price.
   */
  async #expireRecords(
    database: Database,
    kind: "contents" | "details",
    account: RetentionRow,
    days: number | undefined,
    now: number,
  ): Promise<void> {
    if (days === undefined) return;
    const end = firstIdAt(now - days * DAY_MS);
    for (let from = account[`${kind}_from`]; from < end; ) {
      const rows = await database.query<{ next: string }>(kind === "contents" ? EXPIRE_CONTENTS : EXPIRE_DETAILS, [
        account.account_id,
        from,
        end,
      ]);
      from = rows[0]?.next ?? end;
    }
  }

  /** The number of days after their last use when they expire; accounts may set fewer. */
  async #expireResponses(accountId: string, days: number | undefined, now: number): Promise<void> {
    if (days === undefined || days >= this.#responseDays) return;
    const expired = new Date(now + (this.#responseDays - days) * DAY_MS);
    for (const table of ["stored_responses", "conversations"])
      await this.#database.query(`DELETE FROM ${table} WHERE account_id = $1 AND expires_at <= $2`, [
        accountId,
        expired,
      ]);
  }

  async #expireAuditLog(accountId: string, days: number | undefined, now: number): Promise<void> {
    if (days === undefined) return;
    const end = new Date(now - days * DAY_MS);
    for (let count = PORTION; count === PORTION; )
      count = await this.#database.transaction((connection) => deleteDeeds(connection, accountId, end));
  }
}

/** How far a cluster is that the account has spent on. */
async function readProgress(database: Database, account: RetentionRow): Promise<RetentionRow> {
  const rows = await database.query<Row<"account_retention", "contents_from" | "details_from">>(
    "SELECT contents_from, details_from FROM account_retention WHERE account_id = $1",
    [account.account_id],
  );
  return { ...account, ...(rows[0] ?? { contents_from: firstIdAt(0), details_from: firstIdAt(0) }) };
}

async function deleteDeeds(connection: Queryable, accountId: string, end: Date): Promise<number> {
  await connection.query("SELECT set_config('trunkline.expires_deeds_before', $1, true)", [end.toISOString()]);
  const rows = await connection.query(
    `DELETE FROM deeds WHERE id IN (
       SELECT id FROM deeds WHERE account_id = $1 AND created_at < $2 ORDER BY id LIMIT ${PORTION}
     ) RETURNING 1`,
    [accountId, end],
  );
  return rows.length;
}

function ownDays(row: RetentionRow | undefined): AccountRetention {
  return {
    contents: row?.contents_days ?? undefined,
    details: row?.details_days ?? undefined,
    responses: row?.responses_days ?? undefined,
    audit_log: row?.audit_log_days ?? undefined,
  };
}

/** Changes the next portion, and notes how far it is, in one statement. Returns where the next one begins; the end: nothing is left. */
const expireStatement = (column: string, change: string, condition: string, also: string) => `
WITH due AS (
  SELECT id FROM requests WHERE account_id = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT ${PORTION}
), changed AS (
  UPDATE requests r SET ${change} FROM due WHERE r.id = due.id AND r.id >= $2 AND r.id < $3${condition}
)${also}
INSERT INTO account_retention AS a (account_id, ${column})
SELECT $1, coalesce((SELECT id FROM due ORDER BY id OFFSET ${PORTION - 1} LIMIT 1), $3)
ON CONFLICT (account_id) DO UPDATE SET ${column} = EXCLUDED.${column} RETURNING ${column} AS next`;

const EXPIRE_CONTENTS = expireStatement(
  "contents_from",
  `detail = ${WITHOUT_CONTENT("r.detail")}`,
  ` AND strpos(r.detail::text, ${CONTENT_MARK}) > 0`,
  "",
);

const EXPIRE_DETAILS = expireStatement(
  "details_from",
  "detail = '{}', tags = NULL",
  "",
  `, unsaid AS (
  DELETE FROM request_feedback f USING due WHERE f.request_id = due.id
)`,
);
