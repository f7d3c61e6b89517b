import { firstIdAt, timeOfId } from "@trunkline/core/id.ts";
import { INCOMING_KINDS, OUTGOING_KINDS } from "@trunkline/core/ledger-kinds.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type {
  ChargeFilter,
  CostShare,
  CreditMovement,
  DailyCharge,
  RequestCharge,
  StatementsReader,
  StatementsSnapshot,
  TimeSpan,
} from "../../ledger/billing/statements-reader.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { ID_MARGIN_MS, QUARTER_MS, usageQuery } from "../usage/usage-query.ts";
import { usageClosedUntil } from "../usage/usage-rollups.ts";

/** An account's statements in PostgreSQL, read in one transaction and as of one moment. */
export class PostgresStatementsReader implements StatementsReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  open<Result>(
    { accountId, timeZone }: { readonly accountId: string; readonly timeZone: string },
    read: (page: StatementsSnapshot) => Promise<Result>,
  ): Promise<Result> {
    return this.#database.transaction(async (connection) => {
      await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      return read({
        movements: () => readMovements(connection, accountId, timeZone),
        dailyCharges: () => readDailyCharges(connection, accountId, timeZone),
        charges: (filter, limit) => readCharges(connection, accountId, timeZone, filter, limit),
        totalChargedBelow: (requestId) => sumBelow(connection, accountId, requestId),
        totalCharged: (timeSpan) => sumIn(connection, accountId, timeSpan),
        totalChargedBy: (part, timeSpan) => sumBy(connection, accountId, part, timeSpan),
        balance: () => readBalance(connection, accountId),
      });
    });
  }
}

type MovementRow = Row<"ledger_transfers", "kind" | "amount" | "memo" | "created_at"> & {
  readonly number: string;
  readonly day: string;
};

async function readMovements(
  connection: Queryable,
  accountId: string,
  timeZone: string,
): Promise<readonly CreditMovement[]> {
  const rows = await connection.query<MovementRow>(
    `SELECT number, kind, amount, memo, created_at, to_char(created_at AT TIME ZONE $2, 'YYYY-MM-DD') AS day
     FROM (${INCOMING_CREDITS} UNION ALL ${OUTGOING_CREDITS}) AS moved ORDER BY created_at, transfer_id`,
    [accountId, timeZone],
  );
  return rows.map(({ created_at: createdAt, kind, memo, ...row }) => ({
    ...row,
    kind: MOVEMENT_KINDS.find((known) => known === kind) ?? "grant",
    memo: memo ?? "",
    createdAt,
  }));
}

async function readDailyCharges(
  connection: Queryable,
  accountId: string,
  timeZone: string,
): Promise<readonly DailyCharge[]> {
  const closed = await usageClosedUntil(connection);
  const { sql, values } = usageQuery(accountId, UNBOUNDED, closed, "quarters");
  const rows = await connection.query<{ day: string } & Row<"usage_days", "requests" | "cost">>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(requests)::bigint AS requests, sum(cost)::bigint AS cost FROM (
       SELECT (quarter AT TIME ZONE $${values.length + 1})::date AS day, used.* FROM (${sql}) AS used
     ) AS dated GROUP BY dated.day HAVING sum(cost) > 0 ORDER BY dated.day`,
    [...values, timeZone],
  );
  return rows.map(({ day, requests, cost }) => ({ day, requests: Number(requests), cost }));
}

type ChargeRow = Row<
  "requests",
  "id" | "created_at" | "model" | "provider" | "key_id" | "input_tokens" | "output_tokens" | "cost"
> & { readonly day: string; readonly key_name: string | null };

/** Finds charges by a range of ids, which have the time of arrival; `created_at` decides at the ends of the range. */
async function readCharges(
  connection: Queryable,
  accountId: string,
  timeZone: string,
  { from, to, below }: ChargeFilter,
  limit: number,
): Promise<readonly RequestCharge[]> {
  const first = firstIdAt(from === undefined ? 0 : from.getTime() - ID_MARGIN_MS);
  const last = firstIdAt(to === undefined ? Infinity : to.getTime() + ID_MARGIN_MS);
  const rows = await connection.query<ChargeRow>(
    `SELECT r.id, r.created_at, to_char(r.created_at AT TIME ZONE $2, 'YYYY-MM-DD') AS day, r.model, r.provider, r.key_id,
       k.name AS key_name, r.input_tokens, r.output_tokens, r.cost
     FROM (
       SELECT * FROM requests WHERE account_id = $1 AND cost > 0 AND id >= $3 AND id < $4
         AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)
       ORDER BY id DESC LIMIT $7
     ) AS r LEFT JOIN api_keys k ON k.id = r.key_id ORDER BY r.id DESC`,
    [accountId, timeZone, first, below !== undefined && below < last ? below : last, from ?? null, to ?? null, limit],
  );
  return rows.map((row) => ({
    requestId: row.id,
    createdAt: row.created_at,
    day: row.day,
    model: row.model === null ? undefined : `${row.provider}/${row.model}`,
    keyId: row.key_id,
    keyName: row.key_name ?? undefined,
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cost: row.cost,
  }));
}

/** Sums the rollups up to a quarter of an hour in which no id is as high yet, and the few requests after it one by one. */
async function sumBelow(connection: Queryable, accountId: string, requestId: string): Promise<NanoCredits> {
  const summedTo = Math.floor((timeOfId(requestId) - ID_MARGIN_MS) / QUARTER_MS) * QUARTER_MS;
  const before = await sumIn(connection, accountId, { from: undefined, to: new Date(summedTo) });
  const rows = await connection.query<{ cost: bigint }>(
    `SELECT coalesce(sum(cost), 0)::bigint AS cost FROM requests
     WHERE account_id = $1 AND id >= $2 AND id < $3 AND created_at >= $4`,
    [accountId, firstIdAt(summedTo - ID_MARGIN_MS), requestId, new Date(summedTo)],
  );
  return before + (rows[0]?.cost ?? 0n);
}

async function sumIn(connection: Queryable, accountId: string, timeSpan: TimeSpan): Promise<NanoCredits> {
  const { sql, values } = usageQuery(accountId, timeSpan, await usageClosedUntil(connection), "quarters");
  const rows = await connection.query<{ cost: bigint }>(
    `SELECT coalesce(sum(cost), 0)::bigint AS cost FROM (${sql}) AS used`,
    values,
  );
  return rows[0]?.cost ?? 0n;
}

const PARTS = {
  model: "provider || '/' || model AS id, NULL AS name FROM",
  key: "key_id::text AS id, (SELECT name FROM api_keys k WHERE k.id = key_id) AS name FROM",
} as const;

async function sumBy(
  connection: Queryable,
  accountId: string,
  part: "model" | "key",
  timeSpan: TimeSpan,
): Promise<readonly CostShare[]> {
  const { sql, values } = usageQuery(accountId, timeSpan, await usageClosedUntil(connection), "days");
  const rows = await connection.query<{ id: string; name: string | null } & Row<"usage_days", "requests" | "cost">>(
    `SELECT id, name, requests, cost FROM (
       SELECT sum(requests)::bigint AS requests, sum(cost)::bigint AS cost, ${PARTS[part]} (${sql}) AS used
       GROUP BY ${part === "key" ? "key_id" : "provider, model"}
     ) AS summed WHERE cost > 0 ORDER BY cost DESC, id`,
    values,
  );
  return rows.map(({ id, name, requests, cost }) => ({
    id,
    name: name ?? undefined,
    requests: Number(requests),
    cost,
  }));
}

async function readBalance(connection: Queryable, accountId: string): Promise<NanoCredits> {
  const rows = await connection.query<Row<"ledger_accounts", "balance">>(
    `SELECT coalesce(sum(balance), 0)::bigint AS balance FROM ledger_accounts
     WHERE account_id = $1 AND kind IN ('customer', 'lease')`,
    [accountId],
  );
  return rows[0]?.balance ?? 0n;
}

const MOVEMENT_KINDS = [...INCOMING_KINDS, ...OUTGOING_KINDS];

const UNBOUNDED: TimeSpan = { from: undefined, to: undefined };

/**
 * The incoming credits of account `$1`, with the numbers of their receipts. Transfers draw their ids while they hold the
 * lock on the account's `customer` row, so none ever comes before an earlier one: numbers have no gaps and never change. Years are those of UTC,
 * as an account's time zone may change.
 */
export const INCOMING_CREDITS = numbered(
  "TL",
  `SELECT t.id, t.kind, t.amount, t.memo, t.created_at FROM ledger_accounts c JOIN ledger_transfers t ON t.credit = c.id
   WHERE c.kind = 'customer' AND c.account_id = $1 AND t.kind NOT IN ('lease', 'lease_return', 'charge')
     AND t.kind IN (${quoted(INCOMING_KINDS)})`,
);

/** What was taken back from account `$1`, below zero, with numbers of its own. */
const OUTGOING_CREDITS = numbered(
  "RF",
  `SELECT t.id, t.kind, -t.amount AS amount, t.memo, t.created_at FROM ledger_accounts c JOIN ledger_transfers t ON t.debit = c.id
   WHERE c.kind IN ('customer', 'debt') AND c.account_id = $1 AND t.kind IN (${quoted(OUTGOING_KINDS)})`,
);

function numbered(prefix: string, transfers: string): string {
  return `SELECT transfer_id, kind, amount, memo, created_at,
    format('${prefix}-%s-%s', year, lpad(place::text, greatest(4, length(place::text)), '0')) AS number
  FROM (
    SELECT id AS transfer_id, kind, amount, memo, created_at, year, row_number() OVER (PARTITION BY year ORDER BY id) AS place
    FROM (SELECT t.*, extract(year FROM t.created_at AT TIME ZONE 'UTC')::int AS year FROM (${transfers}) t) AS dated
  ) AS placed`;
}

function quoted(kinds: readonly string[]): string {
  return kinds.map((kind) => `'${kind}'`).join(", ");
}
