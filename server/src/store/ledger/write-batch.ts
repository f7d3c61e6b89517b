import type { SettledSegment, Settlement } from "../../ledger/billing/settlement.ts";
import { ArrayValue, type ItemSource, JsonLines, type StatementValue } from "../database/prepared-statements.ts";
import type { Row } from "../database/rows.ts";
import { listColumns } from "../database/sql.ts";
import {
  addToQuarters,
  DIMENSIONS,
  QUARTER_COLUMN_LIST,
  QUARTER_SUMS,
  USAGE_COLUMNS,
  usageRows,
} from "../usage/usage-columns.ts";
import { storedStart } from "./leases.ts";

type ScalarType = "uuid" | "timestamptz" | "text" | "int" | "bigint" | "double precision";

/** A column of what is written: its name and type in PostgreSQL, and its value; undefined is NULL. */
type Column<Source, Name extends string = string> = ScalarColumn<Source, Name> | JsonColumn<Source, Name>;

interface ScalarColumn<Source, Name extends string = string> {
  readonly name: Name;
  readonly type: ScalarType;
  readonly value: (source: Source) => string | number | bigint | undefined;
}

interface JsonColumn<Source, Name extends string = string> {
  readonly name: Name;
  readonly type: "json";
  readonly value: (source: Source) => unknown;
}

/** The columns of `requests`. */
const REQUEST_COLUMNS: readonly Column<Settlement, keyof Row<"requests">>[] = [
  { name: "id", type: "uuid", value: ({ requestId }) => requestId },
  { name: "account_id", type: "uuid", value: ({ accountId }) => accountId },
  { name: "key_id", type: "uuid", value: ({ keyId }) => keyId },
  { name: "created_at", type: "timestamptz", value: ({ createdAt }) => createdAt.toISOString() },
  { name: "path", type: "text", value: ({ path }) => path },
  { name: "task", type: "text", value: ({ task }) => task },
  { name: "model", type: "text", value: ({ model }) => model },
  { name: "provider", type: "text", value: ({ provider }) => provider },
  { name: "status", type: "int", value: ({ status }) => status },
  { name: "error_type", type: "text", value: ({ errorType }) => errorType },
  ...USAGE_COLUMNS,
  { name: "discount", type: "int", value: ({ discount }) => discount },
  { name: "usage_source", type: "text", value: ({ usageSource }) => usageSource },
  { name: "price_version", type: "text", value: ({ priceVersion }) => priceVersion },
  { name: "held", type: "bigint", value: ({ held }) => held },
  { name: "cost", type: "bigint", value: ({ cost }) => cost },
  { name: "latency_ms", type: "double precision", value: ({ latencyMs }) => latencyMs },
  { name: "detail", type: "json", value: ({ detail }) => detail },
];

const TAGS_COLUMN: Column<Settlement, "tags"> = { name: "tags", type: "json", value: ({ tags }) => tags };

const KEY_COLUMNS: readonly Column<Settlement>[] = [
  { name: "idempotency_key", type: "text", value: ({ idempotent }) => idempotent?.key },
  { name: "answer", type: "json", value: ({ idempotent }) => idempotent?.answer },
];

const BUDGET_COLUMNS: readonly Column<Settlement>[] = [
  { name: "budget_period", type: "text", value: ({ budget }) => budget?.period },
  { name: "budget_starts_at", type: "timestamptz", value: ({ budget }) => budget && storedStart(budget.startsAt) },
];

const ACCOUNT_BUDGET_COLUMNS: readonly Column<Settlement>[] = [
  { name: "account_budget_period", type: "text", value: ({ accountBudget }) => accountBudget?.period },
  {
    name: "account_budget_starts_at",
    type: "timestamptz",
    value: ({ accountBudget }) => accountBudget && storedStart(accountBudget.startsAt),
  },
];

/** The columns of `request_legs`, but for the two of its key. */
const SEGMENT_COLUMNS: readonly Column<SettledSegment, keyof Row<"request_legs">>[] = [
  { name: "provider", type: "text", value: ({ provider }) => provider },
  { name: "model", type: "text", value: ({ model }) => model },
  { name: "price_version", type: "text", value: ({ priceVersion }) => priceVersion },
  { name: "discount", type: "int", value: ({ discount }) => discount },
  ...USAGE_COLUMNS,
  { name: "usage_source", type: "text", value: ({ usageSource }) => usageSource },
  { name: "cost", type: "bigint", value: ({ cost }) => String(cost) },
  { name: "outcome", type: "text", value: ({ outcome }) => outcome },
];

/** The segments of a request, in their order, as an array of objects. */
const LEGS_COLUMN: Column<Settlement> = {
  name: "legs",
  type: "json",
  value: ({ legs }) => (legs.length === 0 ? undefined : legs.map(segmentRow)),
};

function segmentRow(segment: SettledSegment, index: number) {
  const row: Record<string, unknown> = { leg: index + 1 };
  for (const { name, value } of SEGMENT_COLUMNS) row[name] = value(segment);
  return row;
}

interface BatchStatement {
  readonly name: string;
  readonly text: string;
  /** The parameters after the instance and its revenue account. */
  readonly columns: readonly Column<Settlement>[];
}

/**
 * One statement for a whole batch, so that all of it is there or nothing. A charge whose lease is gone, or would fall
 * below zero, fails it. A request that was already written is passed over together with its charge and its sums; so is
 * one whose idempotency key belongs to another run by now: the statement returns the ids of those.
 * Most batches have no tags, budgets, idempotency keys or segments: the statement handles them only where there are some.
 */
function composeStatement(
  withKeys: boolean,
  withBudgets: boolean,
  withSegments: boolean,
  withTags: boolean,
  withAccountBudgets: boolean,
): BatchStatement {
  const written = withTags ? [...REQUEST_COLUMNS, TAGS_COLUMN] : REQUEST_COLUMNS;
  const names = listColumns(written.map(({ name }) => name));
  const columns = [
    ...written,
    ...(withKeys ? KEY_COLUMNS : []),
    ...(withBudgets ? BUDGET_COLUMNS : []),
    ...(withAccountBudgets ? ACCOUNT_BUDGET_COLUMNS : []),
    ...(withSegments ? [LEGS_COLUMN] : []),
  ];
  const arrays = columns.map(({ type }, index) =>
    type === "json" ? `string_to_array($${index + 3}, E'\\n', '')::json[]` : `$${index + 3}::${type}[]`,
  );
  const parts = [
    `batch AS (SELECT * FROM unnest(${arrays.join(", ")}) AS t (${listColumns(columns.map(({ name }) => name))}))`,
    ...(withKeys ? [CLAIMED] : []),
    `recorded AS (
  INSERT INTO requests (${names}) SELECT ${names} FROM batch
  ${withKeys ? "WHERE idempotency_key IS NULL OR id IN (SELECT request_id FROM claimed)" : ""}
  ON CONFLICT (id) DO NOTHING
  RETURNING id, account_id, key_id, created_at, task, model, provider, status, input_tokens, output_tokens, cost, latency_ms, price_version
)`,
    CHARGED,
    ...(withBudgets ? [BUDGETED] : []),
    ...(withAccountBudgets ? [ACCOUNT_BUDGETED] : []),
    ...(withSegments ? [SEGMENTED] : []),
    `summed AS (${addToQuarters(
      `SELECT account_id, date_bin('15 minutes', created_at, 'epoch'), ${DIMENSIONS}, $1, ${QUARTER_SUMS}
  FROM (${usageRows("recorded", withSegments ? "segmented" : undefined)}) AS used GROUP BY 1, 2, 3, 4, 5, 6`,
    )})`,
    ...(withKeys ? [ANSWERED] : []),
  ];
  const lost = withKeys
    ? "SELECT id FROM batch WHERE idempotency_key IS NOT NULL AND id NOT IN (SELECT request_id FROM claimed)"
    : "SELECT id FROM batch WHERE false";
  const name = `write-batch${withKeys ? "-keys" : ""}${withBudgets ? "-budgets" : ""}${withSegments ? "-segments" : ""}${withTags ? "-tags" : ""}${withAccountBudgets ? "-account-budgets" : ""}`;
  return { name, text: `WITH ${parts.join(", ")} ${lost}`, columns };
}

const CLAIMED = `claimed AS (
  SELECT k.request_id FROM batch CROSS JOIN LATERAL (
    SELECT request_id FROM idempotency_keys k
    WHERE k.account_id = batch.account_id AND k.path = batch.path AND k.key = batch.idempotency_key AND k.request_id = batch.id
    FOR UPDATE
  ) k WHERE batch.idempotency_key IS NOT NULL
)`;

const CHARGED = `leases AS (
  -- Locked before a charge draws its number: numbers follow the order in which a lease's balance changed.
  -- By an array, so that they are looked up one by one: joined, all leases of the instance would be read.
  SELECT id, account_id FROM ledger_accounts
  WHERE kind = 'lease' AND instance_id = $1 AND account_id = ANY (ARRAY(SELECT account_id FROM recorded WHERE cost > 0))
  ORDER BY id FOR UPDATE
), charged AS (
  INSERT INTO ledger_transfers (kind, debit, credit, amount, request_id)
  SELECT 'charge', leases.id, $2, recorded.cost, recorded.id
  FROM recorded LEFT JOIN leases ON leases.account_id = recorded.account_id
  WHERE recorded.cost > 0
  RETURNING debit, amount
), drawn AS (
  UPDATE ledger_accounts a SET balance = a.balance - d.amount
  FROM (SELECT debit, sum(amount)::bigint AS amount FROM charged GROUP BY debit) d WHERE a.id = d.debit
), earned AS (
  UPDATE ledger_accounts SET balance = balance + (SELECT sum(amount)::bigint FROM charged)
  WHERE id = $2 AND EXISTS (SELECT 1 FROM charged)
)`;

/** By arrays, too: joined alone, all leases of the instance might be read. */
const BUDGETED = `budgeted AS (
  UPDATE budget_leases b SET amount = b.amount - d.amount
  FROM (
    SELECT batch.key_id, batch.budget_period, batch.budget_starts_at, sum(recorded.cost)::bigint AS amount
    FROM recorded JOIN batch USING (id) WHERE batch.budget_period IS NOT NULL AND recorded.cost > 0 GROUP BY 1, 2, 3
  ) d
  WHERE b.instance_id = $1 AND b.key_id = d.key_id AND b.period = d.budget_period AND b.starts_at = d.budget_starts_at
    AND b.key_id = ANY (ARRAY(SELECT key_id FROM batch WHERE budget_period IS NOT NULL))
)`;

const ACCOUNT_BUDGETED = `account_budgeted AS (
  UPDATE account_budget_leases b SET amount = b.amount - d.amount
  FROM (
    SELECT batch.account_id, batch.account_budget_period, batch.account_budget_starts_at, sum(recorded.cost)::bigint AS amount
    FROM recorded JOIN batch USING (id) WHERE batch.account_budget_period IS NOT NULL AND recorded.cost > 0 GROUP BY 1, 2, 3
  ) d
  WHERE b.instance_id = $1 AND b.account_id = d.account_id AND b.period = d.account_budget_period
    AND b.starts_at = d.account_budget_starts_at
    AND b.account_id = ANY (ARRAY(SELECT account_id FROM batch WHERE account_budget_period IS NOT NULL))
)`;

/** The segments of the requests that this statement has recorded. */
const SEGMENT_COLUMN_NAMES = SEGMENT_COLUMNS.map(({ name }) => name);
const SEGMENTED = `segmented AS (
  INSERT INTO request_legs (request_id, leg, ${listColumns(SEGMENT_COLUMN_NAMES)})
  SELECT recorded.id, leg, ${listColumns(SEGMENT_COLUMN_NAMES, "l")}
  FROM recorded JOIN batch USING (id) CROSS JOIN LATERAL json_to_recordset(batch.legs)
    AS l (leg int, ${SEGMENT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ")})
  ON CONFLICT (request_id, leg) DO NOTHING
  RETURNING request_id, model, provider, input_tokens, output_tokens, cost
)`;

const ANSWERED = `answered AS (
  UPDATE idempotency_keys k SET answer = batch.answer
  FROM batch WHERE batch.idempotency_key IS NOT NULL AND k.account_id = batch.account_id AND k.path = batch.path
    AND k.key = batch.idempotency_key AND k.request_id = batch.id
)`;

const FULL_STATEMENT = composeStatement(true, true, true, true, true);
const STATEMENTS = Array.from({ length: 32 }, (_, parts) =>
  composeStatement((parts & 1) > 0, (parts & 2) > 0, (parts & 4) > 0, (parts & 8) > 0, (parts & 16) > 0),
);

/** The columns of a request that is written by itself. Its JSON is one line. */
const ONE_COLUMNS = [...REQUEST_COLUMNS, TAGS_COLUMN];

/**
 * The statement for one request without an idempotency key, budgets or segments, as most are while there is little to do.
 * It has no array to unpack, and no part waits for what another has written: PostgreSQL takes half the time for it. In return
 * it fails where the request was written before.
 */
const ONE_STATEMENT = composeStatementOfOne();

function composeStatementOfOne(): string {
  const parameterOf = (column: string) => `$${ONE_COLUMNS.findIndex(({ name }) => name === column) + 3}`;
  const names = listColumns(ONE_COLUMNS.map(({ name }) => name));
  const cost = `${parameterOf("cost")}::bigint`;
  const request = `(SELECT ${ONE_COLUMNS.map(({ name, type }) => `${parameterOf(name)}::${type} AS ${name}`).join(", ")})`;
  return `WITH recorded AS (
  INSERT INTO requests (${names}) SELECT ${names} FROM ${request} AS request
), charged AS (
  -- The lease is locked before the charge draws its number: numbers follow the order in which a lease's balance changed.
  INSERT INTO ledger_transfers (kind, debit, credit, amount, request_id)
  SELECT 'charge', lease.id, $2, request.cost, request.id
  FROM ${request} AS request LEFT JOIN LATERAL (
    SELECT id FROM ledger_accounts WHERE kind = 'lease' AND instance_id = $1 AND account_id = request.account_id FOR UPDATE
  ) AS lease ON true
  WHERE request.cost > 0
  RETURNING debit
), moved AS (
  UPDATE ledger_accounts SET balance = balance + CASE id WHEN $2 THEN ${cost} ELSE -${cost} END
  WHERE id = ANY (ARRAY[$2, (SELECT debit FROM charged)]) AND ${cost} > 0
), summed AS (${addToQuarters(
    `SELECT account_id, date_bin('15 minutes', created_at, 'epoch'), ${DIMENSIONS}, $1, ${QUARTER_COLUMN_LIST}
  FROM (${usageRows(`${request} AS request`)}) AS used`,
  )}) SELECT NULL WHERE false`;
}

/** The statement that writes one request, and its parameters; undefined: it needs parts that only a batch's statement has. */
export function statementOfOne(instanceId: string, revenueId: string, settlement: Settlement) {
  const { idempotent, budget, accountBudget, legs } = settlement;
  if (idempotent !== undefined || budget !== undefined || accountBudget !== undefined || legs.length > 0)
    return undefined;
  const values: StatementValue[] = [instanceId, revenueId];
  for (const column of ONE_COLUMNS) {
    if (column.type === "json") {
      const value = column.value(settlement);
      values.push(value === undefined ? undefined : new JsonLines([value]));
    } else values.push(column.value(settlement)?.toString());
  }
  return { name: "write-one", text: ONE_STATEMENT, values };
}

/** The statement that writes a batch, and its parameters. */
export function batchStatement(instanceId: string, revenueId: string, batch: readonly Settlement[]) {
  let withKeys = 0;
  let withBudgets = 0;
  let withSegments = 0;
  let withTags = 0;
  let withAccountBudgets = 0;
  for (const { idempotent, budget, accountBudget, legs, tags } of batch) {
    if (idempotent !== undefined) withKeys = 1;
    if (budget !== undefined) withBudgets = 2;
    if (legs.length > 0) withSegments = 4;
    if (tags !== undefined) withTags = 8;
    if (accountBudget !== undefined) withAccountBudgets = 16;
  }
  const parts = withKeys + withBudgets + withSegments + withTags + withAccountBudgets;
  const { name, text, columns } = STATEMENTS[parts] ?? FULL_STATEMENT;
  const values: StatementValue[] = [instanceId, revenueId];
  for (const column of columns) values.push(encodeColumn(column, batch));
  return { name, text, values };
}

/**
 * A column of a batch as an array, which is quicker to write and to read than JSON or the driver's arrays.
 * JSON itself has no line breaks, and goes line by line: quoted, each of its own quotes would be escaped and read twice.
 */
function encodeColumn(column: Column<Settlement>, batch: readonly Settlement[]): StatementValue {
  if (column.type === "json") return new JsonLines(batch.map((settlement) => column.value(settlement)));
  return new ArrayValue(new ColumnTexts(column, batch), column.type === "text");
}

/** What a batch has in a column, item by item: no list of it is made. */
class ColumnTexts implements ItemSource<string | undefined> {
  readonly #column: ScalarColumn<Settlement>;
  readonly #batch: readonly Settlement[];

  constructor(column: ScalarColumn<Settlement>, batch: readonly Settlement[]) {
    this.#column = column;
    this.#batch = batch;
  }

  get length(): number {
    return this.#batch.length;
  }

  at(index: number): string | undefined {
    const settlement = this.#batch[index];
    const item = settlement === undefined ? undefined : this.#column.value(settlement);
    if (item === undefined) return undefined;
    const text = String(item);
    return this.#column.type === "text" && NEEDS_ESCAPE.test(text) ? text.replace(ESCAPED, "\\$&") : text;
  }
}

const NEEDS_ESCAPE = /["\\]/;
const ESCAPED = /["\\]/g;
