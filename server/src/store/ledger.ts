import type { AccountBalance, LedgerStore } from "../billing/ledger-store.ts";
import type { Settlement } from "../billing/settlement.ts";
import type { NanoCredits } from "../kit/money.ts";
import type { Database, Queryable } from "./database.ts";

/** While there is plenty, a slice is this part of what is left, so that slices shrink as the balance does. */
const SLICE_DIVISOR = 8n;

/** The ledger in PostgreSQL, seen by one instance. */
export class PostgresLedger implements LedgerStore {
  readonly #database: Database;
  readonly #instanceId: string;
  readonly #revenueId: bigint;

  private constructor(database: Database, instanceId: string, revenueId: bigint) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#revenueId = revenueId;
  }

  /** Each instance earns into an account of its own, so that no row is shared by all. */
  static async open(database: Database, instanceId: string): Promise<PostgresLedger> {
    const rows = await database.query<{ id: bigint }>(
      "INSERT INTO ledger_accounts (kind, instance_id) VALUES ('revenue', $1) RETURNING id",
      [instanceId],
    );
    const revenue = rows[0];
    if (revenue === undefined) throw new Error("The ledger gave no revenue account.");
    return new PostgresLedger(database, instanceId, revenue.id);
  }

  async balanceOf(accountId: string): Promise<AccountBalance> {
    const rows = await this.#database.query<{ total: bigint | null; unleased: bigint | null }>(
      `SELECT sum(balance)::bigint AS total, sum(balance) FILTER (WHERE kind = 'customer')::bigint AS unleased
       FROM ledger_accounts WHERE account_id = $1 AND kind IN ('customer', 'lease')`,
      [accountId],
    );
    return { total: rows[0]?.total ?? 0n, unleased: rows[0]?.unleased ?? 0n };
  }

  async extendLease(accountId: string, need: NanoCredits): Promise<NanoCredits> {
    return this.#database.transaction(async (connection) => {
      // Locked in a statement of its own, so that the next one sees the row as it is once everybody before us is done.
      const rows = await connection.query<{ balance: bigint }>(
        "SELECT balance FROM ledger_accounts WHERE kind = 'customer' AND account_id = $1 FOR UPDATE",
        [accountId],
      );
      const balance = rows[0]?.balance ?? 0n;
      if (balance < need) return 0n;
      const share = balance / SLICE_DIVISOR;
      const slice = share > need ? share : need;
      await connection.query(MOVE_TO_LEASE, [accountId, slice, this.#instanceId]);
      return slice;
    });
  }

  async leaseOf(accountId: string): Promise<NanoCredits> {
    const rows = await this.#database.query<{ balance: bigint }>(
      "SELECT balance FROM ledger_accounts WHERE kind = 'lease' AND account_id = $1 AND instance_id = $2",
      [accountId, this.#instanceId],
    );
    return rows[0]?.balance ?? 0n;
  }

  async spentByKey(keyId: string, since: Date | undefined): Promise<NanoCredits> {
    const rows = await this.#database.query<{ spent: bigint }>(
      "SELECT coalesce(sum(cost), 0)::bigint AS spent FROM usage_quarters WHERE key_id = $1 AND ($2::timestamptz IS NULL OR quarter >= $2)",
      [keyId, since ?? null],
    );
    return rows[0]?.spent ?? 0n;
  }

  /**
   * One statement for the whole batch. A charge whose lease is gone, or would fall below zero, fails the statement;
   * a request that was already written is passed over together with its charge and its sums.
   */
  async write(batch: readonly Settlement[]): Promise<void> {
    await this.#database.prepared("write-batch", WRITE_BATCH, [
      this.#instanceId,
      this.#revenueId,
      ...columnsOf(batch),
    ]);
  }
}

const MOVE_TO_LEASE = `
WITH taken AS (
  UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE kind = 'customer' AND account_id = $1 RETURNING id
), lease AS (
  INSERT INTO ledger_accounts (kind, account_id, instance_id, balance) VALUES ('lease', $1, $3, $2::bigint)
  ON CONFLICT (account_id, instance_id) WHERE kind = 'lease' DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance
  RETURNING id
)
INSERT INTO ledger_transfers (kind, debit, credit, amount) SELECT 'lease', taken.id, lease.id, $2::bigint FROM taken, lease`;

const WRITE_BATCH = `
WITH batch AS (
  SELECT * FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::timestamptz[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::int[], $12::text[], $13::bigint[], $14::bigint[], $15::text[], $16::text[], $17::bigint[], $18::bigint[],
    $19::double precision[], $20::json[], $21::text[], $22::json[], $23::int[], $24::bigint[], $25::bigint[])
  AS t(id, account_id, key_id, created_at, path, task, model, provider, status, error_type, input_tokens, output_tokens,
    usage_source, price_version, held, cost, latency_ms, detail, idempotency_key, answer, images, cached_input_tokens, audio_ms)
), recorded AS (
  INSERT INTO requests (id, account_id, key_id, created_at, path, task, model, provider, status, error_type, input_tokens,
    output_tokens, images, usage_source, price_version, held, cost, latency_ms, detail, cached_input_tokens, audio_ms)
  SELECT id, account_id, key_id, created_at, path, task, model, provider, status, error_type, input_tokens, output_tokens,
    images, usage_source, price_version, held, cost, latency_ms, detail, cached_input_tokens, audio_ms FROM batch
  ON CONFLICT (id) DO NOTHING
  RETURNING id, account_id, key_id, created_at, task, model, provider, status, input_tokens, output_tokens, cost
), charged AS (
  INSERT INTO ledger_transfers (kind, debit, credit, amount, request_id)
  SELECT 'charge', lease.id, $2, recorded.cost, recorded.id
  FROM recorded LEFT JOIN ledger_accounts lease
    ON lease.kind = 'lease' AND lease.account_id = recorded.account_id AND lease.instance_id = $1
  WHERE recorded.cost > 0
  RETURNING debit, amount
), drawn AS (
  UPDATE ledger_accounts a SET balance = a.balance - d.amount
  FROM (SELECT debit, sum(amount)::bigint AS amount FROM charged GROUP BY debit) d WHERE a.id = d.debit
), earned AS (
  UPDATE ledger_accounts SET balance = balance + (SELECT sum(amount)::bigint FROM charged)
  WHERE id = $2 AND EXISTS (SELECT 1 FROM charged)
), summed AS (
  INSERT INTO usage_quarters AS u (account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost)
  SELECT account_id, date_bin('15 minutes', created_at, 'epoch'), key_id, coalesce(model, ''), coalesce(provider, ''), task,
    count(*) FILTER (WHERE status < 400), count(*) FILTER (WHERE status >= 400 AND status <> 499),
    sum(input_tokens), sum(output_tokens), sum(cost)
  -- In one order everywhere: two instances that add to the same rows must not wait for each other in a ring.
  FROM recorded GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, quarter, key_id, model, provider, task) DO UPDATE SET
    requests = u.requests + EXCLUDED.requests, errors = u.errors + EXCLUDED.errors,
    input_tokens = u.input_tokens + EXCLUDED.input_tokens, output_tokens = u.output_tokens + EXCLUDED.output_tokens,
    cost = u.cost + EXCLUDED.cost
)
UPDATE idempotency_keys k SET answer = batch.answer
FROM batch WHERE batch.idempotency_key IS NOT NULL AND k.account_id = batch.account_id AND k.path = batch.path
  AND k.key = batch.idempotency_key AND k.request_id = batch.id`;

function columnsOf(batch: readonly Settlement[]): unknown[] {
  const column = (read: (settlement: Settlement) => unknown) =>
    batch.map((settlement) => read(settlement) ?? null);
  return [
    column((s) => s.requestId),
    column((s) => s.accountId),
    column((s) => s.keyId),
    column((s) => s.createdAt),
    column((s) => s.path),
    column((s) => s.task),
    column((s) => s.model),
    column((s) => s.provider),
    column((s) => s.status),
    column((s) => s.errorType),
    column((s) => s.inputTokens),
    column((s) => s.outputTokens),
    column((s) => s.usageSource),
    column((s) => s.priceVersion),
    column((s) => s.held),
    column((s) => s.cost),
    column((s) => s.latencyMs),
    column((s) => JSON.stringify(s.detail)),
    column((s) => s.idempotent?.key),
    column((s) => (s.idempotent === undefined ? null : JSON.stringify(s.idempotent.answer))),
    column((s) => s.images),
    column((s) => s.cachedInputTokens),
    column((s) => s.audioMs),
  ];
}

/** Opens an account's side of the ledger and puts credits on it. */
export async function grantCredits(
  connection: Queryable,
  accountId: string,
  amount: NanoCredits,
  memo: string,
): Promise<void> {
  await connection.query(
    `WITH issued AS (
       UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE kind = 'issued' RETURNING id
     ), customer AS (
       INSERT INTO ledger_accounts (kind, account_id, balance) VALUES ('customer', $1, $2::bigint)
       ON CONFLICT (account_id) WHERE kind = 'customer' DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance
       RETURNING id
     )
     INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
     SELECT 'grant', issued.id, customer.id, $2::bigint, $3 FROM issued, customer`,
    [accountId, amount, memo],
  );
}
